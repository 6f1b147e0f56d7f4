"""The trace format: what is written is read again, line by line as src/trace_io/README.md says."""

import gzip
import json
import random

import pytest

from echo_sweep import tracer
from echo_sweep.tracer import trace_file
from echo_sweep.tracer.trace_file import Group, Node, RankTrace, Trace, TraceError


def small_trace():
    nodes = [Node(name="mm", pass_="forward", kernel={"kind": "gemm", "m": 8, "n": 4, "k": 2}, flops=128.0, bytes=80),
             Node(kind="collective", collective="all_reduce", group="world", bytes=64, precision="fp32", stream=1, needs=[0]),
             Node(kind="send", peer=1, tag=3, launch=0, group="world", bytes=16, follows=[1]),
             Node(kind="wait", needs=[1], gap_ns=0.5, duration_ns=12)]
    return Trace(2, [Group("world", "data", [0, 1])], [RankTrace(0, nodes, [0, 1])], source="a test", notes=["made up"])


def lines_in(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_is_written_is_read_again(tmp_path):
    for name in ("t.jsonl", "t.jsonl.gz"):
        tracer.write(small_trace(), tmp_path / name)
        assert tracer.read(tmp_path / name) == small_trace()
    assert gzip.decompress((tmp_path / "t.jsonl.gz").read_bytes()) == (tmp_path / "t.jsonl").read_bytes()


def test_the_lines_are_those_of_the_format(tmp_path):
    tracer.write(small_trace(), tmp_path / "t.jsonl")
    head, rank, product, reduction, message, wait = lines_in(tmp_path / "t.jsonl")
    assert head == {"echo_trace": 1, "world": 2, "source": "a test", "notes": ["made up"],
                    "groups": [{"name": "world", "role": "data", "ranks": [0, 1]}]}
    assert rank == {"rank": 0, "stands_for": [0, 1]}
    assert product == {"name": "mm", "pass": "forward", "kernel": {"kind": "gemm", "m": 8, "n": 4, "k": 2}, "flops": 128,
                       "bytes": 80}
    assert reduction == {"kind": "collective", "collective": "all_reduce", "group": "world", "bytes": 64, "precision": "fp32",
                         "stream": 1, "needs": [0]}
    assert message == {"kind": "send", "follows": [1], "bytes": 16, "group": "world", "peer": 1, "tag": 3, "launch": 0}
    assert wait == {"kind": "wait", "needs": [1], "duration_ns": 12, "gap_ns": 0.5}


def test_a_rank_that_stands_for_itself_does_not_say_so(tmp_path):
    for stands_for in (None, [3]):
        tracer.write(Trace(4, [], [RankTrace(3, [], stands_for)]), tmp_path / "t.jsonl")
        assert lines_in(tmp_path / "t.jsonl")[1] == {"rank": 3}
        assert tracer.read(tmp_path / "t.jsonl").ranks[0].represents() == [3]


def test_ids_of_other_writers_are_places_here(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"echo_trace": 1, "world": 1}\n{"rank": 0}\n{"id": 7}\n{}\n{"id": 100, "needs": [8, 7]}\n')
    assert [node.needs for node in tracer.read(path).ranks[0].nodes] == [[], [], [1, 0]]


@pytest.mark.parametrize("lines, told", [
    ([], "empty"), (["{}"], "begins with"), (['{"echo_trace": 2, "world": 1}'], "begins with"), (["[1]"], "JSON object"),
    (['{"echo_trace": 1, "world": 1}', "{"], ":2: not JSON"), (['{"echo_trace": 1, "world": 1}', "{}"], "before the line"),
    (['{"echo_trace": 1, "world": 1}', '{"rank": 0}', '{"needs": [0]}'], ":3: needs"),
    (['{"echo_trace": 1, "world": 1}', '{"rank": 0}', '{"needs": 4}'], ":3: needs"),
    (['{"echo_trace": 1, "world": 1}', '{"rank": 0}', '{"colour": 4}'], "unknown field colour"),
    (['{"echo_trace": 1, "world": 1}', '{"rank": 0}', '{"pass_": "forward"}'], "unknown field"),
    (['{"echo_trace": 1, "world": 1}', '{"rank": 0}', '{"kind": "idle"}'], "kind must be"),
    (['{"echo_trace": 1, "world": 1, "groups": [{"nam": "x"}]}'], "a group has")])
def test_garbage_is_told_with_its_line(tmp_path, lines, told):
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    with pytest.raises(TraceError, match=told):
        tracer.read(tmp_path / "t.jsonl")


def test_damaged_bytes_never_crash_the_reader(tmp_path):
    tracer.write(small_trace(), tmp_path / "t.jsonl")
    whole = (tmp_path / "t.jsonl").read_bytes()
    for seed in range(300):
        draw, damaged = random.Random(seed), bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        (tmp_path / "d.jsonl").write_bytes(bytes(damaged[:draw.randint(1, len(damaged))]))
        try:
            tracer.read(tmp_path / "d.jsonl")
        except TraceError:
            pass


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(TraceError, match="cannot write"):
        tracer.write(small_trace(), tmp_path / "no" / "t.jsonl")


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "t.jsonl"
    tracer.write(small_trace(), path)
    before, broken = path.read_bytes(), small_trace()
    broken.ranks[0].nodes[0].name = object()
    with pytest.raises(TypeError):
        tracer.write(broken, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_ranks_of_one_job_are_merged():
    a, b = small_trace(), small_trace()
    b.ranks[0].rank, b.groups = 1, [Group("world", "unknown", [0, 1]), Group("b", "tensor", [1])]
    b.notes = ["made up", "another"]
    both = tracer.merge([b, a], {0: [0], 1: [1]})
    assert [(traced.rank, traced.represents()) for traced in both.ranks] == [(0, [0]), (1, [1])]
    assert [(group.name, group.role) for group in both.groups] == [("world", "data"), ("b", "tensor")]
    assert both.notes == ["made up", "another"]
    b.world = 3
    with pytest.raises(TraceError, match="no one job"):
        tracer.merge([a, b])


def test_a_group_is_the_same_on_all_ranks():
    a, b = small_trace(), small_trace()
    b.groups[0].ranks = [1, 0]
    with pytest.raises(TraceError, match="other ranks"):
        tracer.merge([a, b])


def test_words_are_those_of_the_program():
    from conftest import ANALYSIS

    def words(file, name):
        text = (ANALYSIS.parent / file).read_text().replace("\n", " ")
        listed = text[text.index(name):]
        return [word.strip().strip('"') for word in listed[listed.index("{") + 1:listed.index("}")].split(",")]

    assert words("src/trace/trace.hpp", "node_kind_names") == list(trace_file.KINDS)
    assert words("src/trace/trace.hpp", "pass_names") == list(trace_file.PASSES)
    assert words("src/trace/trace.hpp", "group_role_names") == list(trace_file.ROLES)
    assert words("src/machine/precision.hpp", "precision_names{") == list(trace_file.PRECISIONS)
    assert set(trace_file.COLLECTIVES) <= set(words("src/ops/collective.hpp", "collective_kind_names"))
