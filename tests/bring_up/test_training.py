"""The step in PyTorch itself, on a CPU: timed, profiled, traced, beside what the simulator generates. Needs ECHO_TORCH_PYTHON."""

import json
import os
import pathlib
import subprocess
import sys

import fakes
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("ECHO_TORCH_PYTHON", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="no ECHO_TORCH_PYTHON: a Python with PyTorch")


@pytest.fixture(scope="module")
def dry_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("dry") / "out"
    done = subprocess.run([str(ROOT / "src/bring_up/echo-bring-up"), str(out), "--dry-run", "--python", PYTHON, "--programs",
                           str(fakes.BUILD / "bin")], env=dict(os.environ, ECHO_PYTHON=sys.executable),
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def steps(out, stage):
    return {step["name"]: step for step in json.loads((out / stage / "steps.json").read_text())["steps"]}


@pytest.fixture(scope="module")
def idle(tmp_path_factory):
    """Variables under which PyTorch finds a GPU whose kernels do nothing (analysis/tests/torch/idle_cuda.py)."""
    sys.path.insert(0, str(ROOT / "analysis/tests/torch"))
    import idle_cuda

    said = subprocess.run([PYTHON, "-c", "import torch; print(torch.__file__)"], capture_output=True, text=True, check=True)
    built = idle_cuda.build(pathlib.Path(said.stdout.strip()).parent, tmp_path_factory.mktemp("idle"))
    if built is None:
        pytest.skip("this PyTorch is not of CUDA, or there is no C compiler")
    return {"LD_PRELOAD": str(built[0]), "LD_LIBRARY_PATH": str(built[1])}


def test_the_step_runs_on_cuda_as_far_as_an_idle_gpu_goes(idle, tmp_path):
    step = ROOT / "src/bring_up/echo_bring_up/training/step.py"
    for mode, last in (("time", "memory_peak_bytes"), ("graph", "eager_step_s")):  # no idle GPU can hold a graph
        done = subprocess.run([PYTHON, "-B", step, mode, "--size", "tiny", "--steps", "2", "--warm-up", "2", "--json",
                               f"{mode}.json"], cwd=tmp_path, env={**os.environ, **idle}, capture_output=True, text=True)
        facts = json.loads((tmp_path / f"{mode}.json").read_text())
        assert last in facts and facts["device"] == "cuda", done.stderr
        assert done.returncode == 0 or mode == "graph" and "capture_begin" in done.stderr


def test_one_rank_of_four_is_traced_on_cuda(idle, tmp_path):
    if not (fakes.BUILD / "lib/libecho_inject.so").exists():
        pytest.skip("the build has no libecho_inject.so")
    step = ROOT / "src/bring_up/echo_bring_up/training/step.py"
    env = {**os.environ, **idle, "PYTHONPATH": str(ROOT / "analysis"), "ECHO_EXSITU_LIBRARIES": str(fakes.BUILD / "lib")}
    done = subprocess.run([PYTHON, "-B", "-m", "echo_sweep.tracer", "--world", "4", "--ranks", "0", "--backend", "nccl", "-o",
                           "trace.jsonl.gz", "--", PYTHON, str(step), "plain", "--size", "tiny", "--steps", "3", "--ddp"],
                          cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(ROOT / "src/bring_up"))
    from echo_bring_up.trace_counts import counts_of

    assert counts_of(str(tmp_path / "trace.jsonl.gz"))[2] >= 2  # DDP's sums; an idle GPU runs no kernel


def test_it_is_timed_profiled_traced_and_predicted(dry_run):
    training = steps(dry_run, "training_step")
    for name in ("time", "profile", "trace", "trace_nccl", "predict_generated", "predict_traced"):
        assert training[name]["outcome"] == "done", training[name]
    assert training["graph"]["outcome"] == "not run" and "CUDA graphs need a GPU" in training["graph"]["why"]
    assert "on the CPU" in training["time"]["numbers"][0]["note"]
    facts = json.loads((dry_run / "training_step/time.json").read_text())
    assert facts["loss"] < facts["first_loss"]  # it trains


def test_pytorch_makes_the_products_that_the_simulator_generates(dry_run, tmp_path):
    sys.path.insert(0, str(ROOT / "analysis"))
    from echo_sweep import tracer
    from echo_sweep.tracer.compare import Options, products_of

    folder = dry_run / "training_step"
    out = tmp_path / "generated.jsonl"
    done = subprocess.run([fakes.BUILD / "bin/echo-sweep", "convert", folder / "generated.toml", "--point", "0", "-o", out],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    here, there = tracer.read(out), tracer.read(folder / "traced.jsonl.gz")
    products = [sorted(products_of(trace.rank_for(0), Options())) for trace in (here, there)]
    assert products[0] == products[1] and len(products[0]) == 3 * (4 * 16 + 1)
