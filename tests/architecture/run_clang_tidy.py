"""Runs clang-tidy over files of src/, one per core; headers that a source includes come along (HeaderFilterRegex).

usage: run_clang_tidy.py BUILD_TREE [--names-only] [--recent N | FILE ...]    exit 1 on any finding, 0 without clang-tidy 14
--recent N takes the N sources and headers changed last instead of all sources.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import source_tree

finding = re.compile(r": (error|warning): .*\[(?!clang-diagnostic)[a-z-]+(,-warnings-as-errors)?\]$")


def run(program, commands, checks, file):
    """What the checks find. Compiler diagnostics are g++'s business: clang 14 stumbles over libstdc++ 12's ranges."""
    argv, folder = commands.of(file)
    command = [program, "--quiet", *checks, str(file), "--", *argv[1:-1], "-Wno-everything"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return [line for line in done.stdout.splitlines() if finding.search(line)]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build_tree", type=pathlib.Path)
    options.add_argument("--names-only", action="store_true")
    options.add_argument("--recent", type=int)
    options.add_argument("files", nargs="*", type=pathlib.Path)
    told = options.parse_intermixed_args()
    program = shutil.which("clang-tidy-14")
    if program is None:
        print("clang-tidy-14 is not installed: names are not checked")
        return 0
    checks = ["--checks=-*,readability-identifier-naming"] if told.names_only else []
    if told.recent is not None:
        files = source_tree.recent([".cpp", ".hpp"], told.recent)
    else:
        files = [file.resolve() for file in told.files] or source_tree.files([".cpp"])
    commands = source_tree.Commands(told.build_tree.resolve())
    failed, seen = 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(lambda file: run(program, commands, checks, file), files):
            failed += bool(lines)
            for line in lines:
                if line not in seen:  # a header's finding comes once for each source
                    seen.add(line)
                    print(line)
    print(f"clang-tidy: {len(files)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
