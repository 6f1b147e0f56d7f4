"""Streams that order, and names of groups."""

import pytest

from echo_sweep.tracer.group_words import role_of_words, spelled
from echo_sweep.tracer.streams import Clock, stand_ins


def test_a_stream_follows_what_it_waits_for_once():
    clock = Clock()
    side = stand_ins(clock)["Stream"]()
    assert clock.issue(0, 0) == set()
    side.wait_stream(clock.current)
    assert clock.issue(side.number, 1) == {0}
    assert clock.issue(side.number, 2) == set()


def test_an_event_is_what_was_issued_when_it_was_recorded():
    clock = Clock()
    side = stand_ins(clock)["Stream"]()
    clock.issue(0, 0)
    event = clock.current.record_event()
    clock.issue(0, 1)
    side.wait_event(event)
    assert clock.issue(side.number, 2) == {0}


def test_an_event_after_a_wait_covers_what_was_waited_for():
    clock = Clock()
    first, second = (stand_ins(clock)["Stream"]() for _ in range(2))
    clock.issue(0, 0)
    first.wait_stream(clock.current)
    second.wait_event(first.record_event())
    assert clock.issue(second.number, 1) == {0}


def test_with_a_stream_ops_go_there_and_then_back():
    clock = Clock()
    names = stand_ins(clock)
    side = names["Stream"]()
    with names["stream"](side):
        assert names["current_stream"]() is side
        with names["stream"](None):
            assert clock.current is side
    assert clock.current.number == 0 and names["default_stream"]() is clock.current


def test_streams_of_keys_are_made_once():
    clock = Clock()
    assert clock.stream_of("a") == clock.stream_of("a") != clock.stream_of("b") and clock.stream_of("a") != 0


@pytest.mark.parametrize("name, role", [
    ("mesh_dp", "data"), ("mesh_dp_shard", "shard"), ("dp_replicate", "data"), ("fsdp", "shard"), ("tp", "tensor"),
    ("TENSOR_MODEL_PARALLEL_GROUP", "tensor"), ("DATA_PARALLEL_GROUP_WITH_CP", "data"), ("CONTEXT_PARALLEL_GROUP", "context"),
    ("PIPELINE_MODEL_PARALLEL_GROUP", "pipeline"), ("EXPERT_MODEL_PARALLEL_GROUP", "expert"), ("default_pg", "unknown"),
    ("", "unknown"), ("MODEL_PARALLEL_GROUP", "unknown")])
def test_roles_by_names(name, role):
    assert role_of_words(name) == role


def test_ranks_are_spelled_shortly_and_apart():
    assert [spelled(ranks) for ranks in ([3], [0, 1], [0, 4, 8, 12], [0, 1, 2], [0, 1, 5], [2, 1, 0])] == [
        "3", "0,1", "0-12/4", "0-2", "0,1,5", "2,1,0"]
    many = [list(range(9)) + [last] for last in (20, 21)] + [[0, 2, 1] + list(range(3, 9)) + [20]]
    assert len({spelled(ranks) for ranks in many}) == 3
