"""Records made up here, as the libraries of src/exsitu write them, into traces."""

import random

import numpy as np
import pytest

from echo_sweep.tracer import exsitu, exsitu_convert, exsitu_torch, trace_file
from echo_sweep.tracer import exsitu_records as er

TYPE = {name: number for number, (name, _) in enumerate(er.TYPES)}
WHAT = {name: number for number, name in er.OPS.items()}


class Writer:
    """A file of records, line by line."""

    def __init__(self, path, rank=1, world=4, layout=er.CALL, **header):
        self.path, self.layout, self.lines = path, layout, []
        first = np.zeros(1, er._header)
        first["magic"], first["format"], first["record_bytes"] = b"echotrc\n", 1, 64
        first["rank"], first["world"] = rank, world
        for name, value in header.items():
            first[name] = value
        self.lines.append(first.tobytes())

    def put(self, what, **fields):
        line = np.zeros(1, self.layout)
        defaults = {"peer": -1, "redop": -1, "stream_id": er.NO_STREAM_ID} if self.layout is er.CALL else {}
        for name, value in (defaults | fields).items():
            line[name] = value
        line["what"], line["serial"] = what, len(self.lines)
        self.lines.append(line.tobytes())
        return len(self.lines) - 1

    def text(self, what, owner, text):
        data = text.encode()
        for at in range(0, max(1, len(data)), 48):
            line = np.zeros(1, er._text)
            part = data[at:at + 48]
            line["what"], line["owner"], line["length"], line["text"] = what, owner, len(part), part.ljust(48, b"\0")
            line["goes_on"], line["serial"] = at + 48 < len(data), len(self.lines)
            self.lines.append(line.tobytes())

    def comm(self, number, name, ranks, own, time=1, flags=0, text=None):
        self.put(er.COMM_CREATED, comm=number, count=len(ranks), peer=own, time_ns=time, flags=flags)
        self.text(er.TEXT_OF_COMM, number, f"{name}\n{exsitu_torch.text_of(ranks) if text is None else text}")

    def op(self, what, time, comm=1, count=8, type="float32", **fields):
        self.put(WHAT[what], time_ns=time, comm=comm, count=count, type=TYPE[type], **fields)

    def mark(self, time, text):
        self.text(er.TEXT_OF_MARK, self.put(er.MARK, time_ns=time), text)

    def read(self):
        self.path.write_bytes(b"".join(self.lines))
        return er.read(self.path)


@pytest.fixture
def nccl(tmp_path):
    writer = Writer(tmp_path / "nccl.7", library=22809)
    writer.comm(1, "dp", [0, 1, 2, 3], 1)
    return writer


@pytest.fixture
def gpu(tmp_path):
    return Writer(tmp_path / "gpu.7", layout=er.GPU)


def nodes(nccl, gpu=None, **how):
    return exsitu_convert.trace_of(nccl.read(), gpu.read() if gpu else None, **how).ranks[0].nodes


def test_payloads_count_as_nccl_tests_does(nccl):
    for what in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        nccl.op(what, 10, count=100, type="bfloat16")
    nccl.op("broadcast", 20, count=3, type="int64", peer=2)
    found = nodes(nccl)
    assert [node.bytes for node in found] == [200, 800, 800, 800, 24]
    assert [node.collective for node in found] == ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"]
    assert found[0].precision == "bf16" and found[4].peer == 2 and found[0].group == "dp"


def test_peers_and_members_are_ranks_of_the_world(tmp_path):
    nccl = Writer(tmp_path / "n", rank=13, world=16)
    nccl.comm(1, "mesh_pp 4", [5, 13], 1)
    nccl.op("send", 5, peer=0)
    trace = exsitu_convert.trace_of(nccl.read())
    node, = trace.ranks[0].nodes
    assert (node.kind, node.peer, node.group) == ("send", 5, "mesh_pp 4")
    assert trace.groups == [trace_file.Group("mesh_pp 4", "pipeline", [5, 13])]
    assert (trace.world, trace.ranks[0].rank) == (16, 13)


def test_ops_of_a_group_go_out_where_it_ends(nccl):
    nccl.op("send", 10, peer=2, launch=5)
    nccl.op("recv", 11, peer=0, launch=5)
    nccl.op("all_reduce", 12, launch=6)
    nccl.put(er.GROUP_END, launch=6, time_ns=13)
    nccl.put(er.GROUP_END, launch=5, time_ns=20)
    found = nodes(nccl)
    assert [(node.kind, node.launch, node.gap_ns) for node in found] == [("collective", -1, 0), ("send", 0, 7), ("recv", 0, 0)]


def test_groups_that_were_simulated_or_never_ended_are_left_out(nccl):
    nccl.op("all_reduce", 10, launch=1)
    nccl.put(er.GROUP_DROPPED, launch=1, time_ns=11)
    nccl.op("all_reduce", 12, launch=2)
    trace = exsitu_convert.trace_of(nccl.read())
    assert trace.ranks[0].nodes == [] and any("never ended" in note for note in trace.notes)


def exchange(nccl, peers, launch=1):
    for peer in peers:
        nccl.op("send", 10, peer=peer, launch=launch, count=peer + 1)
        nccl.op("recv", 10, peer=peer, launch=launch, count=9)
    nccl.put(er.GROUP_END, launch=launch, time_ns=11)


def test_sends_and_receives_of_everybody_are_an_all_to_all(nccl):
    exchange(nccl, range(4))
    node, = nodes(nccl)
    assert (node.collective, node.bytes, node.launch) == ("all_to_all", 4 * (1 + 2 + 3 + 4), -1)


def test_sends_and_receives_of_neighbours_stay_what_they_are(nccl):
    exchange(nccl, [0, 2, 3])  # all but ourselves: a pipeline's, too, may look like this
    assert [node.kind for node in nodes(nccl)] == ["send", "recv"] * 3


def test_gather_and_scatter_are_made_of_sends(nccl):
    nccl.op("gather", 10, peer=1)
    nccl.op("scatter", 20, peer=3)
    found = nodes(nccl)
    assert [(node.kind, node.peer, node.launch) for node in found] == [("recv", 0, 0), ("recv", 2, 0), ("recv", 3, 0),
                                                                      ("recv", 3, -1)]


def test_a_rank_alone_sends_nothing(nccl):
    nccl.comm(2, "one", [1], 0)
    nccl.op("all_reduce", 10, comm=2)
    trace = exsitu_convert.trace_of(nccl.read())
    assert trace.ranks[0].nodes == [] and trace.notes == ["1 ops of communicators of one rank are left out"]


def test_one_step_is_taken_between_its_marks(nccl):
    for step in range(5):
        nccl.op("all_reduce", 100 * step + 10, count=step + 1)
        nccl.mark(100 * step + 50, "step")
    assert [node.bytes for node in nodes(nccl)] == [4 * 4]       # of whole steps 1, 2, 3, 4 the third
    assert [node.bytes for node in nodes(nccl, step=0)] == [4 * 2]  # what comes before the first mark also starts up
    assert [node.bytes for node in nodes(nccl, step=3)] == [4 * 5]
    with pytest.raises(trace_file.TraceError, match="whole steps 0 to 3"):
        nodes(nccl, step=4)


def test_passes_come_from_marks(nccl):
    for time, text in ((10, "pass forward"), (20, "pass backward"), (30, "pass optimizer"), (35, "pass nonsense")):
        nccl.mark(time, text)
        nccl.op("all_reduce", time + 1)
    nccl.op("all_reduce", 5)
    assert [node.pass_ for node in nodes(nccl)] == ["unknown", "forward", "backward", "optimizer", "optimizer"]


def test_members_that_nobody_named_are_an_error_that_says_so(nccl):
    nccl.comm(2, "mystery", [0, 1], 0, text="")
    nccl.op("all_reduce", 10, comm=2)
    with pytest.raises(trace_file.TraceError, match='communicator 2 "mystery" of 2 ranks: nobody said which'):
        nodes(nccl)


def test_communicators_over_the_same_ranks_are_one_group(nccl):
    nccl.comm(2, "dp", [0, 1, 2, 3], 1)
    nccl.comm(3, "dp", [1, 2], 0)
    for comm in (1, 2, 3):
        nccl.op("all_reduce", 10, comm=comm)
    trace = exsitu_convert.trace_of(nccl.read())
    assert [node.group for node in trace.ranks[0].nodes] == ["dp", "dp", "dp'"]


def kernel(gpu, name, called, start, end, stream=7, correlation=None, what=er.KERNEL, **fields):
    correlation = len(gpu.lines) + 1000 if correlation is None else correlation
    gpu.put(er.LAUNCH_CALL, correlation=correlation, start=called, end=called + 2)
    gpu.put(what, correlation=correlation, start=start, end=end, stream_id=stream, name=name, **fields)


def test_kernels_and_calls_stand_in_the_hosts_order(nccl, gpu):
    gpu.text(er.TEXT_OF_NAME, 1, "gemm")
    gpu.text(er.TEXT_OF_NAME, 2, "norm" * 40)
    kernel(gpu, 2, 30, 900, 960)
    kernel(gpu, 1, 10, 100, 150)
    nccl.op("all_reduce", 20, stream=0xABC, stream_id=9)
    found = nodes(nccl, gpu)
    assert [(node.name, node.duration_ns, node.stream, node.gap_ns) for node in found] == [
        ("gemm", 50, 0, 0), ("nccl all_reduce", -1, 1, 10), ("norm" * 40, 60, 0, 10)]


def test_waits_for_events_become_follows(nccl, gpu):
    """Compute, an event, the communication stream waits, all-reduce, an event back, compute that needs it."""
    kernel(gpu, 1, 10, 100, 150)
    kernel(gpu, 0, 12, 0, 0, what=er.EVENT_RECORDED, event=3)
    kernel(gpu, 0, 14, 0, 0, stream=9, what=er.STREAM_WAITS, event=3)
    nccl.op("all_reduce", 16, stream_id=9)
    kernel(gpu, 0, 18, 0, 0, stream=9, what=er.EVENT_RECORDED, event=4)
    kernel(gpu, 1, 20, 150, 180)  # beside it
    kernel(gpu, 0, 22, 0, 0, what=er.STREAM_WAITS, event=4)
    kernel(gpu, 1, 24, 300, 330)
    found = nodes(nccl, gpu)
    assert [node.follows for node in found] == [[], [0], [], [1]]


def test_an_event_stands_for_what_was_there_when_it_was_recorded(nccl, gpu):
    kernel(gpu, 1, 10, 100, 150)
    kernel(gpu, 0, 12, 0, 0, what=er.EVENT_RECORDED, event=3)
    kernel(gpu, 1, 14, 150, 190)
    kernel(gpu, 0, 16, 0, 0, stream=9, what=er.STREAM_WAITS, event=3)
    nccl.op("all_reduce", 18, stream_id=9)
    assert nodes(nccl, gpu)[2].follows == [0]


def test_the_hosts_waits_are_nodes_and_their_time_is_no_gap(nccl, gpu):
    kernel(gpu, 1, 10, 100, 150)
    gpu.put(er.HOST_WAITS, kind=3, start=20, end=160, stream_id=7)
    kernel(gpu, 1, 170, 180, 190)
    first, wait, last = nodes(nccl, gpu)
    assert (wait.kind, wait.needs, wait.stream, wait.gap_ns) == ("wait", [0], -1, 10)
    assert last.gap_ns == 10


def test_copies_done_in_a_calls_name_are_none_of_the_program(nccl, gpu):
    nccl.op("all_gather", 10, stream_id=7, flags=er.DATA_COPIED)
    kernel(gpu, 0, 10, 100, 110, correlation=55, what=er.COPY, kind=8, amount=64)
    gpu.put(er.EXTERNAL, correlation=55, start=3)
    kernel(gpu, 0, 20, 120, 140, what=er.COPY, kind=1, amount=4096)
    kernel(gpu, 0, 30, 140, 150, what=er.COPY, kind=8, amount=100)
    kernel(gpu, 0, 40, 150, 151, what=er.FILL, amount=50)
    assert [(node.kind, node.collective, node.bytes) for node in nodes(nccl, gpu)] == [
        ("collective", "all_gather", 128), ("collective", "host_copy", 4096), ("compute", "", 200), ("compute", "", 50)]


def test_nested_calls_count_by_the_first(nccl, gpu):
    gpu.put(er.LAUNCH_CALL, correlation=5, start=12, end=13)
    kernel(gpu, 1, 10, 100, 150, correlation=5)
    gpu.put(er.LAUNCH_CALL, correlation=5, start=11, end=14)
    nccl.op("all_reduce", 11, stream_id=7)
    assert [node.kind for node in nodes(nccl, gpu)] == ["compute", "collective"]


def test_times_of_the_wall_clock_are_turned_into_ours(nccl, tmp_path):
    gpu = Writer(tmp_path / "gpu.7", layout=er.GPU, has_unix_times=1, monotonic_ns=1000, unix_ns=501000)
    kernel(gpu, 1, 500010, 500100, 500150)
    nccl.op("all_reduce", 5, stream_id=9)
    nccl.op("all_reduce", 20, stream_id=9)
    assert [node.kind for node in nodes(nccl, gpu)] == ["collective", "compute", "collective"]


def test_lost_records_are_said(nccl, gpu):
    kernel(gpu, 1, 10, 100, 150)
    gpu.put(er.LOST, start=41)
    trace = exsitu_convert.trace_of(nccl.read(), gpu.read())
    assert any(note.startswith("41 GPU records were lost") for note in trace.notes)


def test_what_is_written_comes_back(nccl, gpu, tmp_path):
    gpu.text(er.TEXT_OF_NAME, 1, "gemm")
    kernel(gpu, 1, 10, 100, 150)
    nccl.mark(2, "gpu NVIDIA H100 80GB HBM3")
    exchange(nccl, [0, 2])
    trace = exsitu_convert.trace_of(nccl.read(), gpu.read())
    trace_file.write(trace, tmp_path / "t.jsonl")
    back = trace_file.read(tmp_path / "t.jsonl")
    assert back.ranks[0].nodes == trace.ranks[0].nodes and back.groups == trace.groups
    assert back.gpu == "NVIDIA H100 80GB HBM3" and back.source == "ex situ, rank 1 of 4, NCCL 22809"


def test_unfinished_records_are_passed_over(nccl):
    nccl.op("all_reduce", 10)
    nccl.lines += [bytes(64), nccl.lines[-1], b"half a record"]  # one begun, one whose number is not its place
    assert len(nodes(nccl)) == 1


def test_files_that_are_none_of_ours_are_refused(tmp_path):
    for content in (b"", b"x" * 63, b"x" * 640):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(er.RecordError, match="not a file of libecho"):
            er.read(tmp_path / "x")
    with pytest.raises(er.RecordError, match="cannot read"):
        er.read(tmp_path / "none")


def test_garbage_never_ends_in_anything_but_a_clear_error(nccl, gpu, tmp_path):
    kernel(gpu, 1, 10, 100, 150)
    exchange(nccl, range(4))
    nccl.op("gather", 30, peer=1)
    nccl.mark(40, "step")
    chance = random.Random(5)
    whole = b"".join(nccl.lines), b"".join(gpu.lines)
    for _ in range(400):
        paths = []
        for content, name in zip(whole, ("nccl", "gpu")):
            spoiled = bytearray(content)
            for _ in range(chance.randint(1, 6)):
                spoiled[chance.randrange(64, len(spoiled))] = chance.randrange(256)
            paths.append(tmp_path / name)
            paths[-1].write_bytes(spoiled)
        try:
            exsitu_convert.trace_of(er.read(paths[0]), er.read(paths[1]))
        except (trace_file.TraceError, er.RecordError) as error:
            assert "\n" not in str(error)


def test_rank_lists_come_back():
    chance = random.Random(3)
    for _ in range(500):
        ranks = chance.sample(range(40), chance.randint(1, 20))
        for listed in (ranks, sorted(ranks), list(range(0, 40, chance.randint(1, 5)))):
            assert er.ranks_of(exsitu_torch.text_of(listed)) == listed


def test_one_rank_of_each_stage_is_traced():
    assert exsitu.ranks_to_trace(16, tp=2, pp=4) == {4 * stage: list(range(4 * stage, 4 * stage + 4)) for stage in range(4)}
    assert exsitu.ranks_to_trace(8, tp=2, pp=2, order="tp-cp-ep-pp-dp") == {0: [0, 1, 4, 5], 2: [2, 3, 6, 7]}
    assert exsitu.ranks_to_trace(4) == {0: [0, 1, 2, 3]}
    classes = exsitu.ranks_to_trace(1024, tp=8, pp=4, cp=2, ep=4)
    assert sorted(sum(classes.values(), [])) == list(range(1024)) and len(classes) == 4
    for wrong in (dict(world=10, tp=4), dict(world=8, tp=0), dict(world=8, order="tp-dp")):
        with pytest.raises(trace_file.TraceError):
            exsitu.ranks_to_trace(**wrong)


@pytest.mark.parametrize("name, role", [
    ("mesh_dp_shard 3", "shard"), ("mesh_dp_shard_cp 3", "shard"), ("mesh_dp 1", "data"), ("mesh_tp", "tensor"), ("pp", "pipeline"),
    ("0", "unknown"), ("ctxtp", "unknown"), ("TENSOR_MODEL_PARALLEL_GROUP 115", "tensor"), ("CONTEXT_PARALLEL_GROUP", "context"),
    ("PIPELINE_MODEL_PARALLEL_GROUP", "pipeline"), ("DATA_PARALLEL_GROUP_WITH_CP", "data"), ("MODEL_PARALLEL_GROUP", "unknown"),
    ("EXPERT_MODEL_PARALLEL_GROUP", "expert"), ("EXPERT_DATA_PARALLEL_GROUP", "data"), ("EXPERT_TENSOR_PARALLEL_GROUP", "tensor"),
    ("TENSOR_AND_DATA_PARALLEL_GROUP", "unknown"), ("EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "unknown")])
def test_roles_are_read_from_names(name, role):
    assert exsitu_convert.role_of(name) == role
