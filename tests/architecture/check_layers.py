"""The architecture, checked: who may include whom, where third-party headers may stand, how long a file may be, that
the map names every module and every header says what it is, that nothing names one machine's paths. Prints every
violation; exit 1 if any.

usage: check_layers.py REPOSITORY_ROOT
"""

import pathlib
import re
import sys

max_lines = 400
code_suffixes = {".hpp", ".cpp", ".cu", ".py", ".sh"}
source_suffixes = {".hpp", ".cpp", ".cu"}
root_entries = {"CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", "analysis",
                "docs", "hdf5_schemas", "slurm", "src", "sweeps", "tests", "build"}
# C headers of the standard library are spelled <cstdio>; what is left with .h and no folder of its own is POSIX.
posix = re.compile(r"^(sys/\w+|unistd|fcntl|dirent|dlfcn|signal|glob|pthread|sched)\.h$")
standard = re.compile(r"^[a-z_0-9]+$")
include = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Pieces are joined here so that this file does not trip over itself.
machine_path = re.compile("|".join(r"(?<![\w.}$/])/" + folder + "/" for folder in ("work", "root", "home", "tmp")))
# The core is a pure function: below and including simulate() nothing reads a clock, the environment or chance.
impure = re.compile(r"\b(steady_clock|system_clock|high_resolution_clock|random_device|getenv|srand|mt19937)\b"
                    r"|\bstd::rand\b")
pure_until = "simulate"


def read_layers(path):
    """[(module, modules it may include, third-party prefixes)] in file order."""
    layers = []
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            module, _, rest = line.partition(":")
            uses, _, third_party = rest.partition("|")
            layers.append((module.strip(), uses.split(), third_party.split()))
    return layers


def check_order(layers):
    """Layers: a module may use only modules listed above it, so no cycle can be written."""
    above = set()
    for module, uses, _ in layers:
        for used in uses:
            if used not in above:
                yield f"src/layers.txt: {module} may not use {used}, which does not stand above it"
        above.add(module)


def check_include(module, uses, third_party, bracket, name):
    """None, or why `module` may not include `name`."""
    if bracket == '"':
        folder, slash, _ = name.partition("/")
        if not slash:
            return f'write "{module}/{name}", not "{name}"'
        if folder != module and folder not in uses:
            return f"{module} may not include {folder} (src/layers.txt)"
        return None
    if standard.match(name):
        return None
    if posix.match(name):
        return None if "posix" in third_party else f"{module} may not include POSIX header <{name}>"
    if not any(name.startswith(prefix) for prefix in third_party):
        return f"{module} may not include third-party header <{name}> (src/layers.txt)"
    return None


def check_sources(root, layers):
    pure = [module for module, _, _ in layers]
    pure = set(pure[: pure.index(pure_until) + 1]) if pure_until in pure else set()
    for module, uses, third_party in layers:
        for file in sorted((root / "src" / module).rglob("*")):
            if file.suffix not in source_suffixes:
                continue
            for number, line in enumerate(file.read_text().splitlines(), start=1):
                place = f"{file.relative_to(root)}:{number}"
                found = include.match(line)
                if found:
                    problem = check_include(module, uses, third_party, found[1], found[2])
                    if problem:
                        yield f"{place}: {problem}"
                if module in pure and impure.search(line.split("//")[0]):
                    yield f"{place}: {module} belongs to the pure core: no clock, environment or chance"


def opening_words(text):
    """The number of words in the // lines that a file opens with."""
    count = 0
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        count += len(line[2:].split())
    return count


def check_folders(root, layers):
    known = {module for module, _, _ in layers}
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        if folder.name not in known:
            yield f"src/{folder.name}: not in src/layers.txt"
    readme = root / "src" / "README.md"
    text = readme.read_text() if readme.exists() else ""
    for module in sorted(known):
        if f"`{module}/`" not in text:
            yield f"src/README.md: does not list `{module}/`"
        for header in sorted((root / "src" / module).rglob("*.hpp")):
            if opening_words(header.read_text()) < 3:
                yield f"{header.relative_to(root)}:1: open the header with a comment that says what it is (src/headers.py lists them)"
    for entry in sorted(path.name for path in root.iterdir()):
        if entry not in root_entries and not entry.startswith(".") and ".h5" not in entry:
            yield f"{entry}: does not belong at the root"


def text_files(root):
    for top in ("src", "tests", "sweeps", "slurm", "hdf5_schemas", "analysis", "docs", ".ci"):
        for file in sorted((root / top).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json"):
        if (root / name).exists():
            yield root / name


def check_text(root):
    for file in text_files(root):
        try:
            lines = file.read_text().splitlines()
        except UnicodeDecodeError:
            continue  # not text
        name = file.relative_to(root)
        counted = file.suffix in code_suffixes or file.name == "CMakeLists.txt"
        if counted and name.parts[0] in ("src", "tests") and len(lines) > max_lines:
            yield f"{name}: {len(lines)} lines, at most {max_lines}"
        for number, line in enumerate(lines, start=1):
            if machine_path.search(line):
                yield f"{name}:{number}: names a path of one machine"


def violations(root):
    layers = read_layers(root / "src" / "layers.txt")
    return [*check_order(layers), *check_sources(root, layers), *check_folders(root, layers), *check_text(root)]


if __name__ == "__main__":
    found = violations(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else "architecture holds")
    sys.exit(1 if found else 0)
