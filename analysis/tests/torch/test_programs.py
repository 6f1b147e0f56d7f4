"""echo-trace on scripts as users write them, a process each."""

import pathlib
import subprocess
import sys
from collections import Counter

import pytest

from echo_sweep import tracer

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"


def run(tmp_path, script, *words, options=(), world=4, code=0):
    output = tmp_path / "out.jsonl"
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", "echo_sweep.tracer", "--world", str(world), "-o", str(output),
                           *map(str, options), "--", "python", str(script), *map(str, words)], cwd=tmp_path, text=True,
                          capture_output=True, env={"PYTHONPATH": str(HERE.parents[1]), "PATH": "/usr/bin:/bin"})
    assert done.returncode == code, done.stderr
    return tracer.read(output) if code == 0 else done.stderr.splitlines()


def kinds(trace):
    return Counter((node.kernel or {}).get("kind") for node in trace.ranks[0].nodes)


def reduced(trace, role):
    groups = {group.name for group in trace.groups if group.role == role}
    return sum(node.bytes for node in trace.ranks[0].nodes if node.collective == "all_reduce" and node.group in groups)


@pytest.mark.parametrize("name, products, weights", [("llama", 2 * 7 + 1, 2 * (3 * 128 * 128 + 3 * 128 * 256 + 2 * 128) +
                                                     2 * 512 * 128 + 128),
                                                    ("gpt2", 2 * 4 + 1, 2 * (12 * 128 * 128 + 13 * 128) + (512 + 1024) * 128 +
                                                     2 * 128)])
def test_transformers_models_under_ddp(tmp_path, name, products, weights):
    pytest.importorskip("transformers")
    trace = run(tmp_path, PROGRAMS / "hugging_face.py", name, world=1024, options=["--rank", 37])
    assert trace.ranks[0].rank == 37 and len(trace.groups[0].ranks) == 1024
    assert kinds(trace)["gemm"] == 3 * products
    assert kinds(trace)["attention_forward"] == kinds(trace)["attention_backward"] == 2
    assert reduced(trace, "data") == 2 * weights


def test_torchvision_s_resnet_under_ddp(tmp_path):
    pytest.importorskip("torchvision")
    trace = run(tmp_path, PROGRAMS / "vision.py", world=16, options=["--rank", 3])
    assert reduced(trace, "data") == 4 * 11689512  # its parameters, as torchvision's documentation counts them
    names = Counter(node.name for node in trace.ranks[0].nodes)
    assert names["convolution"] == names["convolution_backward"] == 20
    flops = sum(node.flops for node in trace.ranks[0].nodes if node.pass_ == "forward")
    assert abs(flops / 4 / 2 - 1.814e9) < 0.01e9  # multiply-adds of an image; the publication gives the same


def test_one_rank_stands_for_all_of_a_stage(tmp_path):
    trace = run(tmp_path, PROGRAMS / "staged.py", "--stages", 4, world=16, options=["--ranks", "classes"])
    assert [traced.represents() for traced in trace.ranks] == [list(range(4 * k, 4 * k + 4)) for k in range(4)]
    assert {group.role for group in trace.groups} == {"pipeline", "data"}
    sends = [(traced.rank, node.peer) for traced in trace.ranks for node in traced.nodes if node.kind == "send"]
    assert sends == [(0, 4), (4, 8), (8, 12)]


def test_classes_are_those_of_tracing_all(tmp_path):
    classes = run(tmp_path, PROGRAMS / "staged.py", world=4, options=["--ranks", "classes"])
    whole = run(tmp_path, PROGRAMS / "staged.py", world=4, options=["--ranks", "all"])
    assert [traced.rank for traced in whole.ranks] == [0, 1, 2, 3]
    assert [traced.represents() for traced in classes.ranks] == [[0, 1], [2, 3]]
    for rank in range(4):
        def told(trace):
            return [(node.kind, node.name, node.bytes, node.kernel) for node in trace.rank_for(rank).nodes]

        assert told(classes) == told(whole)


def test_the_script_stops_after_its_step_or_runs_on(tmp_path):
    mark = tmp_path / "mark"
    run(tmp_path, PROGRAMS / "staged.py", "--mark", mark)
    assert not mark.exists()
    one = run(tmp_path, PROGRAMS / "staged.py", "--mark", mark, options=["--continue"])
    assert mark.exists()
    first = run(tmp_path, PROGRAMS / "staged.py", options=["--step", 1])
    forward = [[node.name for node in trace.ranks[0].nodes if node.pass_ == "forward"] for trace in (one, first)]
    assert len(forward[0]) > 0 and forward[0] == forward[1][-len(forward[0]):]


@pytest.mark.parametrize("body, told", [
    ("raise ValueError('no data')", "ValueError: no data"),
    ("import sys; sys.exit(3)", "left with status 3"),
    ("import torch", "after 0 optimizer steps"),
    ("import torch\nx = torch.randn(4).cuda()\nx[x > 0]", "DynamicOutputShape")])
def test_errors_of_the_script_are_told_on_one_line(tmp_path, body, told):
    script = tmp_path / "wrong.py"
    script.write_text(body)
    lines = run(tmp_path, script, code=2)
    assert lines[-1].startswith("echo-trace: ") and told in lines[-1]
    assert "ValueError" not in told or f"{script}:1" in lines[-1]


@pytest.mark.parametrize("options, script, told", [
    (["--rank", 4], "staged.py", "none of a world of 4"), (["--ranks", "1,x"], "staged.py", "all, classes, or numbers"),
    (["--ranks", "9"], "staged.py", "none of a world of 4"), (["--step", 0], "staged.py", "--step is 0"),
    (["--rank", 0], "nowhere.py", "no script"), (["--step", 9], "staged.py", "after 3 optimizer steps")])
def test_wrong_orders_are_told_on_one_line(tmp_path, options, script, told):
    lines = run(tmp_path, PROGRAMS / script, options=options, code=2)
    assert lines[-1].startswith("echo-trace: ") and told in lines[-1]


@pytest.mark.parametrize("tensor, pipeline, rank", [(1, 1, 0), (2, 1, 3), (1, 2, 3), (2, 2, 0)])
def test_megatron_core(tmp_path, tensor, pipeline, rank):
    pytest.importorskip("megatron.core")
    trace = run(tmp_path, PROGRAMS / "gpt_of_megatron.py", tensor, pipeline, options=["--rank", rank])
    layers, microbatches, hidden, rows = 4 // pipeline, 4, 512, 512
    first, last = rank // (4 // pipeline) == 0, rank // (4 // pipeline) == pipeline - 1
    # queries with keys and values, projection, two products of the net, two of unfused attention; the head
    assert kinds(trace)["gemm"] == 3 * microbatches * (6 * layers + (1 if last else 0))
    activations = 2 * rows * hidden
    sums = [node for node in trace.ranks[0].nodes if node.collective == "all_reduce" and node.bytes == activations]
    # two a layer and pass, of the embedding forward, of the head's input gradient
    assert len(sums) == (microbatches * (4 * layers + (1 if first else 0) + (1 if last else 0)) if tensor > 1 else 0)
    messages = Counter(node.kind for node in trace.ranks[0].nodes if node.kind in ("send", "recv"))
    assert messages == ({"send": microbatches, "recv": microbatches} if pipeline > 1 else {})
    weights = layers * (4 * hidden * hidden + 3 * hidden * 1536) // tensor
    weights += ((1 if first else 0) + (1 if last else 0)) * 2048 * hidden // tensor
    norms = (2 * layers + (1 if last else 0)) * 2 * hidden
    assert reduced(trace, "data") == pytest.approx(4 * (weights + norms), rel=1e-3)  # buckets are padded
