"""Each header compiles alone, and twice; each source compiles alone: a build that compiles several together does not show it.

usage: compile_alone.py BUILD_TREE [--recent N | FILE ...]    exit 1 when one does not compile
--recent N takes the N headers and sources changed last instead of all.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import source_tree


def complaint(commands, file):
    """What the compiler says of the file alone; a header is included twice by an otherwise empty source."""
    argv, folder = commands.of(file)
    if file.suffix == ".hpp":
        argv = argv[:-1] + ["-"]
    done = subprocess.run(argv + ["-fsyntax-only", "-Wshadow"], cwd=folder, capture_output=True, text=True,
                          input=f'#include "{file}"\n#include "{file}"\n')
    return (f"{file} does not compile alone:\n{done.stderr}") if done.returncode else ""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build_tree", type=pathlib.Path)
    options.add_argument("--recent", type=int)
    options.add_argument("files", nargs="*", type=pathlib.Path)
    told = options.parse_intermixed_args()
    if told.recent is not None:
        files = source_tree.recent([".cpp", ".hpp"], told.recent)
    else:
        files = [file.resolve() for file in told.files] or source_tree.files([".cpp", ".hpp"])
    commands = source_tree.Commands(told.build_tree.resolve())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [text for text in pool.map(lambda file: complaint(commands, file), files) if text]
    print(*complaints, sep="\n")
    print(f"compiled alone: {len(files)} files, {len(complaints)} with complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
