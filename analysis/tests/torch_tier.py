"""Long tier: tests/torch runs where PyTorch is, on a CPU, in five minutes; elsewhere it is skipped.

    python3 -m venv torch && torch/bin/pip install pytest torch transformers torchvision megatron-core setuptools
    DS_BUILD_OPS=0 torch/bin/pip install --no-build-isolation deepspeed
    torch/bin/python -m pytest analysis/tests/torch

installs 6 GB (torch 2.15.0+cu132 with NVIDIA's libraries, of which none is used). Each of transformers, torchvision,
megatron-core and deepspeed adds tests.
"""

import functools
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent / "torch"


def pytest_collection_modifyitems(items):
    try:
        from torch import nn  # noqa: F401 - this folder, of the same name, has none
    except ImportError:
        for item in items:
            if HERE in pathlib.Path(str(item.fspath)).parents:
                item.add_marker(pytest.mark.skip(reason="needs PyTorch, which this Python has not"))


@pytest.fixture(scope="session")
def traced():
    """traced(name of a layout, world, rank) -> the nodes of that rank, and the trace; each is traced once."""
    from echo_sweep import tracer

    @functools.lru_cache(maxsize=None)
    def trace(layout, world, rank=0):
        import tiny_frameworks
        import tiny_llama

        return tracer.trace_step(getattr(tiny_llama, layout, None) or getattr(tiny_frameworks, layout), world, rank)

    return trace


@pytest.fixture(scope="session")
def program_with():
    """program_with(command) -> the newest echo-sweep, where it has the command, or None."""

    def find(command):
        built = sorted(HERE.parents[2].glob("build/*/bin/echo-sweep"), key=lambda path: path.stat().st_mtime)
        program = os.environ.get("ECHO_SWEEP") or (str(built[-1]) if built else None)
        known = program and subprocess.run([program, command, "--help"], capture_output=True).returncode == 0
        return os.path.abspath(program) if known else None

    return find
