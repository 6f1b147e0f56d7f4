"""A program linked against the real NCCL believes that it is rank 37 of 4096, and leaves a trace of all it asked for."""

import collections
import os

import pytest
from conftest import er

GROUPS = "world\t0-4095\ntensor\t32-39\ndata\t5-4093/8\n"


def ops(calls):
    return calls[(calls["what"] >= 16) & (calls["what"] < 29)]


@pytest.fixture
def rank_37(tmp_path, caller):
    (tmp_path / "groups").write_text(GROUPS)
    return caller("rank_37", ECHO_NCCL_COPY_BELOW="0")


def test_it_believes_its_place(rank_37):
    assert rank_37.done.returncode == 0, rank_37.done.stderr
    assert rank_37.done.stdout.splitlines()[1:] == ["world: rank 37 of 4096", "tensor: rank 5 of 8", "data: rank 4 of 512"]
    assert rank_37.done.stderr == ""


def test_communicators_are_traced_with_their_members(rank_37):
    world, tensor, data = rank_37.records().comms().values()
    assert (world.name, world.ranks, world.rank, world.is_assumed) == ("world", list(range(4096)), 37, False)
    assert (tensor.name, tensor.ranks, tensor.rank, tensor.color) == ("tensor", list(range(32, 40)), 5, 4)
    assert (data.name, data.ranks, data.rank, data.parent) == ("data", list(range(5, 4096, 8)), 4, world.id)


def test_every_op_is_traced_as_it_was_asked_for(rank_37):
    told = [(er.OPS[op["what"]], er.TYPES[op["type"]][0], op["count"], op["peer"], op["redop"], op["stream"], op["comm"])
            for op in ops(rank_37.calls())]
    assert told == [
        ("all_reduce", "bfloat16", 1000, -1, 0, 0x10, 2),
        ("all_gather", "float16", 2000, -1, -1, 0x20, 3),
        ("reduce_scatter", "float32", 3000, -1, 4, 0x20, 3),
        ("broadcast", "int64", 4000, 3, -1, 0x10, 2),
        ("reduce", "float64", 5000, 2, 2, 0x10, 2),
        ("send", "bfloat16", 6000, 38, -1, 0x10, 1),
        ("recv", "bfloat16", 7000, 36, -1, 0x10, 1),
        ("send", "uint8", 8, 36, -1, 0x10, 1),
        ("all_reduce", "float32", 9000, -1, 5, 0x20, 3)]


def test_nested_groups_are_one_launch(rank_37):
    calls = rank_37.calls()
    send, recv, alone = [op for op in ops(calls) if er.OPS[op["what"]] in ("send", "recv")]
    assert send["launch"] == recv["launch"] > 0 and alone["launch"] == 0
    ends = calls[calls["what"] == er.GROUP_END]
    assert len(ends) == 1 and ends[0]["launch"] == send["launch"] and ends[0]["serial"] > recv["serial"]


def test_times_ascend_within_a_thread(rank_37):
    times = [int(call["time_ns"]) for call in rank_37.calls() if call["what"] >= 8]
    assert times == sorted(times) and times[0] >= rank_37.records().monotonic_ns


def test_without_memberships_it_says_that_it_guesses(caller):
    run = caller("rank_37", ECHO_NCCL_COPY_BELOW="0", ECHO_NCCL_GROUPS="")
    assert run.done.returncode == 0, run.done.stderr
    world, tensor, data = run.records().comms().values()
    assert world.ranks == list(range(4096)) and world.is_assumed
    assert tensor.size == data.size == 4096 and tensor.is_assumed and data.is_assumed


def test_peers_are_alike(caller):
    run = caller("data", RANK="3", WORLD_SIZE="5")
    assert run.done.returncode == 0, run.done.stderr
    copied = [bool(op["flags"] & er.DATA_COPIED) for op in ops(run.calls()) if er.OPS[op["what"]] not in ("send", "recv")]
    assert copied == [True, True, True, True, False]


def test_groups_of_threads_do_not_mix(caller):
    run = caller("threads")
    assert run.done.returncode == 0, run.done.stderr
    calls = run.calls()
    members = collections.defaultdict(list)
    for op in ops(calls):
        members[int(op["launch"])].append((int(op["stream"]), int(op["thread"]), int(op["count"])))
    assert len(members) == 16 * 500 and all(len(set(each)) == 1 and len(each) == 3 for each in members.values())
    assert sorted(int(end["launch"]) for end in calls[calls["what"] == er.GROUP_END]) == sorted(members)
    for stream in range(1, 17):  # a thread's groups keep their order
        counts = [int(op["count"]) for op in ops(calls) if op["stream"] == stream]
        assert counts == sorted(counts) and len(counts) == 1500


def test_a_child_writes_a_file_of_its_own(caller, tmp_path):
    run = caller("forks")
    assert run.done.returncode == 0, run.done.stderr
    child, = [file for file in tmp_path.iterdir() if file.name.startswith("trace.")]
    assert [int(op["count"]) for op in ops(run.calls())] == [111]
    assert [int(op["count"]) for op in ops(er.read(child).of(er.CALL))] == [222]


def test_a_killed_process_loses_nothing(caller):
    run = caller("dies")
    assert run.done.returncode == -9
    assert [int(op["count"]) for op in ops(run.calls())] == list(range(1000))


def test_a_simulated_group_is_marked_as_never_sent(caller):
    run = caller("simulated")
    assert run.done.returncode == 0, run.done.stderr
    calls = run.calls()
    first, second = ops(calls)
    dropped, = calls[calls["what"] == er.GROUP_DROPPED]
    assert dropped["launch"] == first["launch"] and second["launch"] == 0


def test_the_real_library_refuses_our_handles_politely(caller):
    run = caller(f"mixed {os.environ['NCCL_LIBRARY']}")
    assert run.done.returncode == 0, run.done.stderr
    assert run.done.stdout == "the real one says: 4\n"  # ncclInvalidArgument


def test_the_version_can_be_given(caller):
    for given, told in (("2.30.7", "23007"), ("22105", "22105")):
        assert f"version {told}\n" in caller("rank_37", ECHO_NCCL_COPY_BELOW="0", ECHO_NCCL_VERSION=given).done.stdout


@pytest.mark.parametrize("environment, said", [
    ({"RANK": "many"}, 'RANK = "many" is no whole number'),
    ({"WORLD_SIZE": "-4"}, 'WORLD_SIZE = "-4" is no whole number'),
    ({"ECHO_NCCL_COPY_BELOW": "1 MiB"}, "ECHO_NCCL_COPY_BELOW"),
    ({"ECHO_TRACE_LIMIT": "99999999999999999999999"}, "ECHO_TRACE_LIMIT"),
    ({"ECHO_NCCL_VERSION": "new"}, "ECHO_NCCL_VERSION"),
    ({"ECHO_TRACE_FILE": "/no/such/folder/x"}, "no trace is kept"),
    ({"ECHO_NCCL_GROUPS": "/no/such/file"}, ""),
])
def test_a_garbled_environment_is_said_and_survived(caller, environment, said):
    run = caller("simulated", **environment)
    assert run.done.returncode == 0, run.done.stderr
    assert said in run.done.stderr and (said or not run.done.stderr)


def test_garbage_among_memberships_is_said_and_passed_over(caller, tmp_path):
    (tmp_path / "groups").write_bytes(b"\xff\xfe\x00\tx\nno tab\n\ntensor\t1,1\nx\t0-99999999\nx\t-4\n" + GROUPS.encode() +
                                      b"unfinished\t0-4")
    run = caller("rank_37", ECHO_NCCL_COPY_BELOW="0")
    assert run.done.returncode == 0 and "tensor: rank 5 of 8" in run.done.stdout
    assert run.done.stderr.count("ECHO_NCCL_GROUPS: no") == 5


def test_a_full_trace_ends_and_the_program_goes_on(caller):
    run = caller("threads", ECHO_TRACE_LIMIT=str(1 << 20))
    assert run.done.returncode == 0
    assert run.done.stderr.count("is full") == 1
    records = run.records()
    assert len(records.lines) == (1 << 20) // 64 - 1 and records.dropped == 2 + 16 * 500 * 4 - len(records.lines)
