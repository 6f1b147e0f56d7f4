"""Runs clang-tidy over the sources of src/ (headers come along by HeaderFilterRegex), two at a time.

usage: run_clang_tidy.py BUILD_TREE [--names-only] [FILE ...]    exit 1 on any finding, 0 without clang-tidy 14
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]


def sources(build_tree):
    commands = json.loads((build_tree / "compile_commands.json").read_text())
    files = {pathlib.Path(command["file"]).resolve() for command in commands}
    return sorted(file for file in files if file.is_relative_to(root / "src") and file.suffix == ".cpp")


finding = re.compile(r": (error|warning): .*\[(?!clang-diagnostic)[a-z-]+(,-warnings-as-errors)?\]$")


def run(program, build_tree, checks, file):
    """What the checks find. Compiler diagnostics are g++'s business: clang 14 stumbles over libstdc++ 12's ranges."""
    command = [program, "-p", str(build_tree), "--quiet", *checks, "--extra-arg=-Wno-everything", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if finding.search(line)]


def main():
    build_tree = pathlib.Path(sys.argv[1]).resolve()
    names_only = "--names-only" in sys.argv
    program = shutil.which("clang-tidy-14")
    if program is None:
        print("clang-tidy-14 is not installed: names are not checked")
        return 0
    checks = ["--checks=-*,readability-identifier-naming"] if names_only else []
    named = [pathlib.Path(name).resolve() for name in sys.argv[2:] if not name.startswith("--")]
    files = named or sources(build_tree)
    failed, seen = 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(lambda file: run(program, build_tree, checks, file), files):
            failed += bool(lines)
            for line in lines:
                if line not in seen:  # a header's finding comes once for each source
                    seen.add(line)
                    print(line)
    print(f"clang-tidy: {len(files)} sources, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
