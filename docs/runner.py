"""Runs the commands of blocks in a folder of its own that looks like the checkout, with the program on PATH."""

import code
import contextlib
import hashlib
import io
import os
import pathlib
import subprocess
import sys

LINKS = ("analysis", "docs", "hdf5_schemas", "slurm", "src", "sweeps", "tests")


class Failed(Exception):
    pass


def find_program(root):
    named = os.environ.get("ECHO_SWEEP")
    program = pathlib.Path(named).resolve() if named else root / "build/release/bin/echo-sweep"
    if not program.exists():
        raise Failed(f"no {program}: build it (cmake --build --preset release), or name it in ECHO_SWEEP")
    return program


def find_data(root):
    folder = pathlib.Path(os.environ.get("ECHO_DATA_DIR") or root / "../shared/data").resolve()
    return folder if (folder / "steps/measured_steps.csv").exists() else None


def digest_of(data):
    """Of the tables that checked blocks read."""
    digest = hashlib.sha256()
    for table in sorted([*data.glob("steps/*.csv"), *data.glob("collectives/*.csv")]):
        digest.update(table.read_bytes())
    return digest.hexdigest()[:32]


class Machine:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.program, self.data = find_program(root), find_data(root)
        self.kept_digest = root / "docs/data_digest.txt"
        self.written_with = self.kept_digest.read_text().strip() if self.kept_digest.exists() else ""
        self.outputs = {}  # of commands that ran already: pages share files and tables
        for name in LINKS:
            (folder / name).symlink_to(root / name)
        (folder / "bin").mkdir()
        (folder / "bin/python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')  # the one that runs this
        (folder / "bin/python3").chmod(0o755)
        self.environment = {
            **os.environ, "ECHO_SWEEP": str(self.program), "PYTHONPATH": str(root / "analysis"), "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1", "ECHO_DATA_DIR": str(self.data or ""), "COLUMNS": "200", "NO_COLOR": "1",
            "PATH": os.pathsep.join([str(folder / "bin"), str(self.program.parent), os.environ["PATH"]]), "LC_ALL": "C.UTF-8",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_orte_tmpdir_base": str(folder / ".open-mpi")}  # of others, one that ends removes folders

    def why_not(self, block, check):
        """Why a block is not run here; empty where it is."""
        needs = block.keys.get("needs", "").split()
        if check and block.keys.get("skip-in-check"):
            return block.keys["skip-in-check"]
        if "data" in needs and not self.data:
            return "no published tables here (ECHO_DATA_DIR)"
        if "data" in needs and check and digest_of(self.data) != self.written_with:
            return "the published tables here are not those that the page was written with (docs/data_digest.txt)"
        for name in {"calibrate", "benchmark"} & set(needs):
            if not self.program.with_name(f"echo-{name}").exists():
                return f"no echo-{name} beside the program"
        for name in sorted(one[1:] for one in needs if one.startswith("$")):
            if not os.environ.get(name):
                return f"{name} names no file"
        if "python" in needs or block.session:
            missing = [name for name in ("h5py", "pandas", "xarray", "matplotlib") if not has_module(name)]
            if missing:
                return f"Python lacks {', '.join(missing)}"
        return ""

    def keep_digest(self):
        """After all pages were written again."""
        if self.data:
            self.kept_digest.write_text(digest_of(self.data) + "\n")

    def shell(self, command, expected=0):
        if command not in self.outputs:
            self.outputs[command] = self.run(command, expected)
        return self.outputs[command]

    def run(self, command, expected):
        ran = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=self.folder, env=self.environment,
                             text=True, capture_output=True)
        if ran.returncode != expected:
            raise Failed(f"{command}\nended with {ran.returncode}, not {expected}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def output_of(self, block):
        for command in block.keys["before"]:
            self.shell(command)
        if block.session:
            return self.session(block.command)
        return self.shell(block.command, int(block.keys.get("exit", 0)))

    def session(self, text):
        """A Python session typed again: its >>> and ... lines, each followed by what it prints now."""
        script = f"import sys; sys.path.insert(0, {str(self.root / 'docs')!r}); import runner; runner.replay(sys.stdin.read())"
        ran = subprocess.run([sys.executable, "-B", "-c", script], input=text, cwd=self.folder, env=self.environment,
                             text=True, capture_output=True)
        if ran.returncode:
            raise Failed(f"a session failed\n{ran.stdout}{ran.stderr}")
        return ran.stdout


def has_module(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def replay(text):
    """Prints the session with the outputs of today; an exception ends it."""
    console = code.InteractiveConsole()
    typed = [line for line in text.splitlines() if line.startswith((">>> ", "... "))]
    for line in typed:
        print(line)
        printed, problems = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(problems):
            console.push(line[4:])
        if "Error" in problems.getvalue():
            sys.exit(problems.getvalue())
        print(printed.getvalue(), end="")
