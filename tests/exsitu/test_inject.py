"""libecho_inject.so where there is no GPU, or no driver: it says so, and the program goes on."""

import os
import subprocess
import sys

import pytest
from conftest import er

pytestmark = pytest.mark.skipif("ECHO_INJECT" not in os.environ, reason="libecho_inject.so was not built: no CUDA 13 CUPTI")

PROGRAM = """
import ctypes, os
library = ctypes.CDLL(os.environ["ECHO_INJECT"])
print("said", library.InitializeInjection(), library.InitializeInjection())
"""


def run(tmp_path, **environment):
    return subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, cwd=tmp_path,
                          env=dict(os.environ, ECHO_TRACE_FILE=str(tmp_path / "trace"), **environment))


def has_driver():
    import ctypes
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


def test_it_fails_politely_without_a_driver(tmp_path):
    if has_driver():
        pytest.skip("this machine has a GPU")
    done = run(tmp_path)
    assert done.returncode == 0 and done.stdout == "said 1 1\n"
    lines = done.stderr.splitlines()
    assert lines[-1] == "echo: GPU tracing is not complete; the program goes on"
    assert all(line.startswith("echo: GPU tracing") for line in lines) and len(lines) < 12
    assert len(er.read(tmp_path / "trace.gpu").lines) == 0


def test_both_libraries_are_in_one_process_and_know_of_each_other(tmp_path):
    done = run(tmp_path, LD_PRELOAD=os.environ["ECHO_NCCL"])
    assert done.returncode == 0 and done.stdout == "said 1 1\n"


def test_a_folder_that_is_not_there_is_said(tmp_path):
    done = run(tmp_path, ECHO_GPU_TRACE_FILE="/no/such/folder/x", ECHO_GPU_BUFFERS="-1")
    assert done.returncode == 0 and "no trace is kept" in done.stderr and "ECHO_GPU_BUFFERS" in done.stderr


def test_it_exports_the_one_name_the_driver_looks_for():
    lines = subprocess.run(["nm", "-D", "--defined-only", os.environ["ECHO_INJECT"]], capture_output=True, text=True,
                           check=True).stdout
    assert [line.split()[2] for line in lines.splitlines()] == ["InitializeInjection"]
