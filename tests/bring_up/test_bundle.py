"""The bundle as it is unpacked on a machine that has nothing of ours: made, small, whole, and gone through by --dry-run."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import fakes
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = [tool for tool in ("patchelf", "strip", "readelf", "ldd", "cc", "pkg-config") if shutil.which(tool) is None]
pytestmark = pytest.mark.skipif(bool(TOOLS), reason=f"no {', '.join(TOOLS)}")


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """(the archive, what its making printed)"""
    path = tmp_path_factory.mktemp("bundle") / "bundle.tar.gz"
    done = subprocess.run([sys.executable, "-B", str(ROOT / "src/bring_up/bundling/make_bundle.py"), str(fakes.BUILD), "-o", str(path)],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return path, done.stdout


@pytest.fixture(scope="module")
def unpacked(packed, tmp_path_factory):
    """The folder of the unpacked bundle; moved once, so that no path of its making can be in it."""
    folder = tmp_path_factory.mktemp("target")
    with tarfile.open(packed[0]) as tar:
        tar.extractall(folder / "first")
    (folder / "first").rename(folder / "moved")
    (root,) = (folder / "moved").iterdir()
    return root


def run(*words, **environment):
    """As somebody who has nothing of ours, and no CUDA toolkit in sight."""
    return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300,
                          env={"PATH": "/usr/bin:/bin", "ECHO_PYTHON": sys.executable, **environment})


def test_it_is_small_and_says_what_it_needs(packed, unpacked):
    assert packed[0].stat().st_size <= 60e6
    manifest = json.loads((unpacked / "MANIFEST.json").read_text())
    assert tuple(map(int, manifest["least_glibc"].split("."))) >= (2, 17)
    assert manifest["least_glibc"] in packed[1]
    assert (manifest["cuda"] != "") == (fakes.BUILD / "bin/echo-profile").exists()


def test_its_libraries_are_its_own_or_the_systems(unpacked):
    """All but NVIDIA's, which may be anywhere or nowhere, and those of every Linux."""
    nvidia = ("libcublasLt", "libcudnn", "libcupti", "libnccl")
    objects = [*(unpacked / "bin").iterdir(), *(unpacked / "lib/bundled").iterdir()]
    assert len(objects) > 10
    for path in objects:
        env = {"LD_TRACE_LOADED_OBJECTS": "1", "PATH": "/usr/bin:/bin"}
        listed = subprocess.run(["/lib64/ld-linux-x86-64.so.2", str(path)], capture_output=True, text=True, env=env).stdout
        for line in listed.splitlines():
            words = line.split()
            if "not found" in line:
                assert words[0].startswith(nvidia), line
            elif len(words) > 2 and not words[0].startswith(nvidia):
                of_the_system = words[0].startswith(("libc.", "libm.", "libstdc++", "libgcc_s", "libpthread", "libdl", "librt",
                                                     "libresolv", "libutil", "libanl"))
                assert of_the_system or words[2].startswith(str(unpacked)), f"{path}: {line}"


def test_echo_sweep_gives_the_same_rows_without_mpi(unpacked, tmp_path):
    """The MPI of one process, and Open MPI: one digest."""
    sweep = unpacked / "sweeps/first.toml"
    digests = []
    for number, program in enumerate((unpacked / "echo-sweep", fakes.BUILD / "bin/echo-sweep")):
        out = tmp_path / f"{number}.h5"
        done = subprocess.run([program, "run", sweep, "-o", out, "-q"], capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
        assert done.returncode == 0, done.stderr
        digests.append([line for line in done.stdout.splitlines() if line.startswith("rows_digest")])
    assert digests[0] == digests[1] and len(digests[0]) == 1
    assert "one process" in run(unpacked / "echo-sweep", "version").stdout


def test_a_dry_run_goes_through_every_stage(unpacked, tmp_path):
    out = tmp_path / "out"
    done = run(unpacked / "echo-bring-up", out, "--dry-run", "--limit", "240")
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = {}
    for stage in ("self_test", "kernels", "overlaps", "training_step", "report"):
        record = json.loads((out / stage / "steps.json").read_text())
        assert record["ended"] == "complete"
        outcomes[stage] = {step["name"]: step["outcome"] for step in record["steps"]}
        assert set(outcomes[stage].values()) <= {"done", "not run"}
    assert outcomes["self_test"]["files"] == outcomes["self_test"]["echo_sweep"] == "done"
    assert outcomes["kernels"]["plan"] == outcomes["training_step"]["predict_generated"] == outcomes["report"]["import"] == "done"
    if (unpacked / "bin/echo-profile").exists():  # with stand-ins where no library of NVIDIA is in sight
        assert {outcomes["self_test"][name] for name in ("echo_profile", "echo_overlap", "libraries", "inject")} == {"done"}
        assert outcomes["kernels"]["grid"] == outcomes["overlaps"]["attention"] == "done"
    page = (out / "report/report.html").read_text()
    assert "a dry run" in page and "<script" not in page and "http" not in page


def test_a_damaged_file_is_named(unpacked, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(unpacked, copy, symlinks=True)
    with open(copy / "sweeps/first.toml", "a") as file:
        file.write("\n")
    done = run(copy / "echo-bring-up", tmp_path / "out", "--dry-run", "--stages", "self_test")
    assert done.returncode == 1
    assert "1 files are not as they were packed: sweeps/first.toml differs" in done.stdout and "unpack the bundle again" in done.stdout


def test_the_same_build_packs_the_same_bytes(packed, tmp_path):
    again = tmp_path / "again.tar.gz"
    subprocess.run([sys.executable, "-B", str(ROOT / "src/bring_up/bundling/make_bundle.py"), str(fakes.BUILD), "-o", str(again)],
                   check=True, capture_output=True, timeout=300)
    assert again.read_bytes() == packed[0].read_bytes()
