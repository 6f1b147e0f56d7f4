import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE), str(REPOSITORY / "src/bring_up")]

import fakes  # noqa: E402


class Run:
    """One run of echo-bring-up into a folder of its own."""

    def __init__(self, folder, environment, programs):
        self.out, self.environment = folder / "out", {**environment, "ECHO_PYTHON": sys.executable}
        self.words = [str(REPOSITORY / "src/bring_up/echo-bring-up"), str(self.out), "--programs", str(programs)]

    def __call__(self, *words, code=0, **environment):
        self.done = subprocess.run([*self.words, *words], capture_output=True, text=True, timeout=300,
                                   env={**self.environment, **environment})
        assert self.done.returncode == code, self.done.stdout + self.done.stderr
        return self

    def steps(self, stage):
        """{name: its record} of what a stage did."""
        return {step["name"]: step for step in json.loads((self.out / stage / "steps.json").read_text())["steps"]}

    def outcomes(self, stage):
        return {name: step["outcome"] for name, step in self.steps(stage).items()}

    def number(self, stage, step, name):
        (value,) = [number["value"] for number in self.steps(stage)[step]["numbers"] if number["name"] == name]
        return value


@pytest.fixture
def here(tmp_path):
    """echo-bring-up on a machine that has what the build has: no GPU."""
    import os

    plain = {name: value for name, value in os.environ.items() if not name.startswith(("ECHO_FAKE", "PYTHON"))}
    return Run(tmp_path, plain, fakes.BUILD / "bin")


@pytest.fixture
def machine_of(tmp_path):
    """machine_of(ECHO_FAKE_X=...): the made-up machine with a GPU."""
    if not fakes.has_profilers():
        pytest.skip("the build has no echo-profile and echo-overlap: no CUDA toolkit")

    def make(**environment):
        run = Run(tmp_path, {**fakes.make_machine(tmp_path / "machine"), **environment}, tmp_path / "machine/bin")
        run.words += ["--python", str(tmp_path / "machine/tools/torch-python")]
        return run

    return make


@pytest.fixture
def machine(machine_of):
    """echo-bring-up on that machine, where all is well unless its words say otherwise."""
    return machine_of()
