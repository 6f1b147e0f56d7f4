"""What routers choose when they are told to: echo-trace --routing."""

import json
import pathlib
import random
from collections import Counter

import pytest
from test_programs import PROGRAMS, run

from echo_sweep.tracer import TraceError


@pytest.fixture
def routing():
    from echo_sweep.tracer import routing

    return routing


def test_tokens_follow_the_loads(routing):
    assert routing.tokens_of_experts([1, 1, 1, 1], 512, 2) == [256] * 4
    assert routing.tokens_of_experts([5, 1, 1, 1, 1, 1, 1, 1], 96, 2) == [80] + [16] * 7
    assert routing.tokens_of_experts([100, 1, 1], 10, 2) == [10, 5, 5]  # no expert gets a token twice
    assert routing.tokens_of_experts([1, 0, 1], 10, 2) == [10, 0, 10]
    with pytest.raises(TraceError, match="1 experts have a load, and a token takes 2"):
        routing.tokens_of_experts([1, 0, 0], 10, 2)


def test_choices_are_complete_and_never_twice_the_same(routing):
    draw = random.Random(5)
    for _ in range(300):
        experts, tokens = draw.randint(1, 16), draw.randint(1, 60)
        choices = draw.randint(1, experts)
        loads = [draw.choice([0.01, 1, 2, 30]) for _ in range(experts)]
        found = routing.choice(loads, tokens, choices)
        assert found.shape == (tokens, choices)
        assert all(len(set(row)) == choices for row in found.tolist())
        counts = Counter(found.flatten().tolist())
        assert [counts[expert] for expert in range(experts)] == routing.tokens_of_experts(loads, tokens, choices)


@pytest.mark.parametrize("text, told", [
    ("[1, -1]", "a number from 0 for each expert"), ("[[1], []]", "layer 1"), ("[0, 0]", "not all 0"), ("{", "not JSON"),
    ('"x"', "a number from 0"), ("[" * 100000, "not JSON"), ("[true, 1]", "a number from 0"), ("[NaN]", "a number from 0")])
def test_files_that_are_none(routing, tmp_path, text, told):
    file = tmp_path / "loads.json"
    file.write_text(text)
    with pytest.raises(TraceError, match=told):
        routing.read_loads(str(file))
    with pytest.raises(TraceError, match="say balanced, or name a JSON file"):
        routing.read_loads(str(tmp_path / "none"))


@pytest.fixture
def loads(tmp_path):
    file = tmp_path / "loads.json"
    file.write_text(json.dumps([[1] * 8, [5] + [1] * 7]))
    return file


def exchanged(trace):
    """Rows of 64 numbers that all-to-alls send, in order."""
    return [node.bytes // 128 for node in trace.ranks[0].nodes if node.collective == "all_to_all" and node.bytes > 64]


def expert_products(trace):
    return [node.kernel["m"] for node in trace.ranks[0].nodes if node.pass_ == "forward" and (node.kernel or {}).get(
        "kind") == "gemm" and node.kernel["n"] == 64]


def test_a_mixture_s_exchange_has_the_shapes_of_its_routing(tmp_path, loads):
    """96 tokens, two of eight experts each, on four ranks: 24 copies for an expert of a rank, where all are equal. In the
    second layer of the given loads 80 of 192 go to the first, so from four ranks 320 to it and 64 to its neighbour."""
    balanced = run(tmp_path, PROGRAMS / "mixture.py", options=["--routing", "balanced"])
    assert exchanged(balanced) == [192] * 7 and expert_products(balanced) == [96] * 4
    given = run(tmp_path, PROGRAMS / "mixture.py", options=["--routing", loads])
    assert expert_products(given) == [96, 96, 320, 64]
    assert exchanged(given) == [192, 192, 192, 384, 192, 384, 192]  # no gradient of the first layer's input
    last = run(tmp_path, PROGRAMS / "mixture.py", options=["--routing", loads, "--rank", 3])
    assert expert_products(last) == [96, 96, 64, 64]
    assert given.notes == [f"routers choose by the loads of {loads}"]


def test_counts_are_read_after_they_are_exchanged(tmp_path):
    nodes = run(tmp_path, PROGRAMS / "mixture.py", options=["--routing", "balanced"]).ranks[0].nodes
    counts = next(place for place, node in enumerate(nodes) if node.collective == "all_to_all" and node.bytes == 64)
    rows = next(place for place, node in enumerate(nodes) if node.collective == "all_to_all" and node.bytes > 64)
    assert nodes[nodes[counts].needs[0]].name == "bincount"
    assert any(node.kind == "wait" for node in nodes[counts:rows])


def test_errors_of_routing_are_told_on_one_line(tmp_path, loads):
    script = PROGRAMS / "mixture.py"
    assert "--routing balanced" in run(tmp_path, script, code=2)[-1]
    loads.write_text("[1, 1, 1]")
    assert "loads of 3 experts are given, and a router chooses of 8" in run(tmp_path, script, options=["--routing", loads],
                                                                           code=2)[-1]
    loads.write_text(json.dumps([[1] * 8]))
    assert run(tmp_path, script, options=["--routing", loads]).world == 4
    missing = pathlib.Path(tmp_path / "none.json")
    assert "No such file" in run(tmp_path, script, options=["--routing", missing], code=2)[-1]


def test_mixtral_of_transformers(tmp_path):
    """128 tokens, two of four experts each: 64 rows for every expert in two grouped products a layer, each way."""
    pytest.importorskip("transformers")
    trace = run(tmp_path, PROGRAMS / "hugging_face.py", "mixtral", options=["--routing", "balanced"])
    keys = [node.kernel for node in trace.ranks[0].nodes if node.name == "_grouped_mm"]
    assert len(keys) == 3 * 2 * 2 and all(key["batch"] == 4 and 64 in (key["m"], key["k"]) for key in keys)
    assert sum(key["m"] * key["n"] * key["k"] for key in keys) == 3 * 2 * (64 * 512 * 128 + 64 * 128 * 256)
