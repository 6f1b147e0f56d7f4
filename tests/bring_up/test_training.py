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
