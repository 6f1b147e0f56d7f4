"""What the tests read: files that the program writes, and one written here from the schema."""

import os
import pathlib
import subprocess
import sys

import pytest

os.environ["MPLBACKEND"] = "Agg"
ANALYSIS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ANALYSIS), str(ANALYSIS / "tests")]
from torch_tier import program_with, pytest_collection_modifyitems, traced  # noqa: E402, F401


def is_light_and_the_same_each_time(draw, save, folder, limit):
    """Two pictures that `draw` makes: equal byte by byte, and of fewer than `limit` bytes."""
    for name in ("a.svg", "b.svg"):
        save(draw(), folder / name)
    assert (folder / "a.svg").read_bytes() == (folder / "b.svg").read_bytes()
    assert 0 < (folder / "a.svg").stat().st_size < limit


def find_program():
    """The program of the build that runs these tests (ECHO_SWEEP), else the newest one built here."""
    if "ECHO_SWEEP" in os.environ:
        return os.path.abspath(os.environ["ECHO_SWEEP"])
    built = sorted(ANALYSIS.parent.glob("build/*/bin/echo-sweep"), key=lambda path: path.stat().st_mtime)
    assert built, "no echo-sweep: build it (cmake --build --preset release), or name it in ECHO_SWEEP"
    return str(built[-1])


@pytest.fixture(scope="session")
def run_program():
    """run_program("run", ...) -> stdout; a sweep without feasible rows is no failure."""
    program = find_program()

    def run(*words):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def swept(run_program, tmp_path_factory):
    """swept(TOML text, name) -> path of its result file."""
    folder = tmp_path_factory.mktemp("swept")

    def sweep(text, name):
        (folder / f"{name}.toml").write_text(text)
        run_program("run", folder / f"{name}.toml", "-o", folder / f"{name}.h5", "--progress", "none",
                    "--fresh")
        return folder / f"{name}.h5"

    return sweep


@pytest.fixture(scope="session")
def small_sweep():
    return (ANALYSIS / "tests/small.toml").read_text()


@pytest.fixture(scope="session")
def result(swept, small_sweep):
    """The small sweep as the program writes it."""
    return swept(small_sweep, "small")


@pytest.fixture
def synthetic(tmp_path):
    """synthetic(**changes) -> path of six made-up configs: see write_synthetic_file."""
    from synthetic_file import write_synthetic_file  # h5py, which tests of the tracer do without

    return lambda **changes: write_synthetic_file(tmp_path / "synthetic.h5", **changes)
