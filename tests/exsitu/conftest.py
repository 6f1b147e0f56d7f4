import os
import pathlib
import subprocess
import sys

import pytest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "analysis"), str(root / "src" / "exsitu")]

from echo_sweep.tracer import exsitu_records as er  # noqa: E402


class Run:
    """One run of the caller under libecho_nccl.so."""

    def __init__(self, folder, what, **environment):
        self.folder, self.file = folder, folder / "trace"
        names = ("PATH", "HOME", "LD_LIBRARY_PATH")
        self.done = subprocess.run(
            [os.environ["ECHO_CALLER"], *what.split()], capture_output=True, text=True, timeout=60, cwd=folder,
            env={name: os.environ[name] for name in names if name in os.environ} | {
                "LD_PRELOAD": os.environ["ECHO_NCCL"], "ECHO_TRACE_FILE": str(self.file), "RANK": "37",
                "WORLD_SIZE": "4096", "ECHO_NCCL_GROUPS": str(folder / "groups")} | environment)

    def records(self):
        return er.read(self.file)

    def calls(self):
        return self.records().of(er.CALL)


@pytest.fixture
def caller(tmp_path):
    return lambda what, **environment: Run(tmp_path, what, **environment)
