"""What tests that lay traced steps beside generated ones share."""

import difflib
import subprocess

import pytest

from echo_sweep import tracer


def generated_steps(program, sweep, points, folder):
    """trace(name) -> the step that the program generates for points[name] of the sweep, of all ranks."""
    if not program or not sweep.exists():
        pytest.skip(f"needs an echo-sweep that writes traces (ECHO_SWEEP), and {sweep.name}")

    def trace(name):
        path = folder / f"{name}.jsonl"
        done = subprocess.run([program, "convert", sweep, "--point", str(points[name]), "--ranks", "all", "-o", path],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return tracer.read(path)

    return trace


def apart(here, there):
    """What is left of two ordered lists once the longest common order is taken out."""
    only_here, only_there = [], []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if tag != "equal":
            only_here += here[a:b]
            only_there += there[c:d]
    return only_here, only_there
