#!/usr/bin/env python3
"""The index of headers: each one with the sentence it opens with, module by module in the order of src/layers.txt.

usage: src/headers.py [MODULE ...]     all modules if none is named; prints Markdown

Nothing here is kept by hand: a header says what it is in its first lines, and tests/architecture holds it to that.
"""

import pathlib
import sys

SRC = pathlib.Path(__file__).resolve().parent


def opening_comment(text):
    """The text of the // lines that a file opens with, as one line; empty if it opens with something else."""
    words = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        words.append(line[2:].strip())
    return " ".join(words).strip()


def first_sentence(text):
    return text.partition(". ")[0].rstrip(".:")


def modules(src):
    return [line.partition(":")[0].strip() for line in (src / "layers.txt").read_text().splitlines()
            if line.partition("#")[0].strip()]


def index(src, wanted):
    for module in modules(src):
        headers = sorted((src / module).rglob("*.hpp"))
        if headers and (not wanted or module in wanted):
            yield f"## {module}"
            for header in headers:
                yield f"- `{header.relative_to(src)}`: {first_sentence(opening_comment(header.read_text()))}"
            yield ""


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(modules(SRC))
    if unknown:
        sys.exit(f"no such module: {', '.join(sorted(unknown))} (src/layers.txt lists them)")
    print("\n".join(index(SRC, sys.argv[1:])))
