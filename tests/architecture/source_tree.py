"""The sources and headers of src/, how each is compiled alone, and which were changed last."""

import json
import pathlib
import re
import shlex
import subprocess

root = pathlib.Path(__file__).resolve().parents[2]
member = re.compile(r'^#include "(/.*\.cpp)"$', re.MULTILINE)  # of a source that CMake made of several


class Commands:
    """Compiler commands of a build tree, file by file: those of the sources that it compiles together, too."""

    def __init__(self, build_tree):
        self.commands = {}
        for entry in json.loads((build_tree / "compile_commands.json").read_text()):
            argv = shlex.split(entry["command"]) if "command" in entry else entry["arguments"]
            while pathlib.Path(argv[0]).name in ("ccache", "env") or "=" in argv[0]:
                del argv[0]
            file = pathlib.Path(entry["file"])
            together = member.findall(file.read_text()) if "Unity" in file.parts else []
            for name in together or [file]:
                self.commands.setdefault(pathlib.Path(name).resolve(), (argv, entry["directory"], entry["file"]))

    def of(self, file):
        """(argv without output and with `file` as its source, folder); that of a neighbour for a file that is not compiled
        by itself; None outside the build."""
        file = pathlib.Path(file).resolve()
        found = self.commands.get(file) or self.of_neighbour(file)
        if found is None:
            return None
        argv, folder, source = found
        kept, words = [], iter(argv)
        for word in words:
            if word in ("-o", "-MF", "-MT", "-MQ", "-include"):
                next(words)
            elif word not in ("-c", "-MD", "-MMD", "-Winvalid-pch", "-fpch-preprocess", source):
                kept.append(word)
        return kept + ["-x", "c++", str(file)], folder

    def of_neighbour(self, file):
        for folder in file.parents:
            near = sorted(name for name in self.commands if folder in name.parents and (root / "src") in name.parents)
            if near:
                return self.commands[near[0]]
            if folder == root / "src":
                break
        return next((self.commands[name] for name in sorted(self.commands) if root / "src" in name.parents), None)


needs_cuda = ("profilers", "exsitu")  # compiled only where the toolkit is found


def files(suffixes):
    found = (path for suffix in suffixes for path in (root / "src").rglob("*" + suffix))
    return sorted(path for path in found if path.relative_to(root / "src").parts[0] not in needs_cuda)


def recent(suffixes, most):
    """The files changed last: not yet committed ones, then those of the latest commits; all of them where git is not there."""
    wanted, order = files(suffixes), []
    for command in (["git", "status", "--porcelain", "--no-renames", "-uall"],
                    ["git", "log", "-n", "500", "--no-renames", "--format=", "--name-only", "--", "src"]):
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if done.returncode:
            return wanted
        order += [root / line[3 if "status" in command else 0:].strip() for line in done.stdout.splitlines() if line]
    ranked = {path: place for place, path in reversed(list(enumerate(order)))}
    return sorted((path for path in wanted if path in ranked), key=ranked.get)[:most]
