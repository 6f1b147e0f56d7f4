"""Which ranks are traced for which: against comparing every rank with every other."""

import itertools
import random

import pytest

from echo_sweep.tracer.rank_classes import Families, find_classes, mesh_families, relative_signature
from echo_sweep.tracer.trace_file import Node


def by_comparing_all(world, signature):
    classes = {}
    for rank in range(world):
        classes.setdefault(signature(rank), []).append(rank)
    return sorted(classes.values())


def counted(signature):
    asked = []

    def ask(rank):
        asked.append(rank)
        return signature(rank)

    return ask, asked


def test_equal_ranks_cost_two_traces_however_many_they_are():
    ask, asked = counted(lambda rank: "same")
    classes = find_classes(Families(4096, [("data", [list(range(4096))])]), ask)
    assert classes == {0: list(range(4096))} and sorted(asked) == [0, 4095]


def test_a_job_without_groups_is_one_rank_s():
    assert find_classes(Families(3, []), lambda rank: "same") == {0: [0, 1, 2]}
    assert find_classes(Families(1, [("data", [[0]])]), lambda rank: "same") == {0: [0]}


@pytest.mark.parametrize("shards", [1, 2, 5, 8, 31])
def test_a_short_and_empty_last_shards_are_found(shards):
    rows = 5 * 8 - 3

    def signature(rank):
        each = -(-rows // shards)
        return max(0, min(each, rows - rank * each))

    families = Families(shards, [("shard", [list(range(shards))])])
    assert sorted(find_classes(families, signature).values()) == by_comparing_all(shards, signature)


def test_every_stage_is_traced_and_one_rank_of_each():
    families = mesh_families(["pipeline", "data", "tensor"], list(range(4 * 4 * 8)), (4, 4, 8))
    layers = ["dense", "expert", "dense", "expert"]
    ask, asked = counted(lambda rank: layers[rank // 32])
    classes = find_classes(Families(128, families), ask)
    assert sorted(classes) == [0, 32] and classes[0] == list(range(32)) + list(range(64, 96))
    assert len(asked) == len(set(asked)) and {rank // 32 for rank in asked} == {0, 1, 2, 3}


def test_families_that_others_make_up_are_dropped():
    families = mesh_families(["data", "tensor"], list(range(8)), (2, 4)) + [("unknown", [list(range(8))])]
    assert Families(8, families).roles == ["data", "tensor"]


def test_as_comparing_all_on_random_meshes_whose_work_changes_in_stretches():
    for seed in range(200):
        draw = random.Random(seed)
        shape = [draw.randint(1, 5) for _ in range(draw.randint(1, 4))]
        world = 1
        for size in shape:
            world *= size
        roles = [draw.choice(["pipeline", "data", "shard", "tensor"]) for _ in shape]
        cuts = [sorted(draw.sample(range(size + 1), min(size, draw.randint(0, 3)))) for size in shape]
        places = list(itertools.product(*map(range, shape)))
        words = [[draw.randint(0, 2) for _ in range(size)] for size in shape]

        def signature(rank):
            return tuple(words[k][at] if roles[k] == "pipeline" else sum(at >= cut for cut in cuts[k])
                         for k, at in enumerate(places[rank]))

        found = find_classes(Families(world, mesh_families(roles, list(range(world)), shape)), signature)
        assert sorted(found.values()) == by_comparing_all(world, signature), f"seed {seed}"


def test_groups_without_a_grid_lose_no_rank():
    families = Families(6, [("tensor", [[0, 1, 2], [3, 4], [5]]), ("data", [[0, 3, 5], [1, 4], [2]])])
    ask, asked = counted(lambda rank: rank % 2)
    classes = find_classes(families, ask)
    assert sorted(rank for ranks in classes.values() for rank in ranks) == list(range(6))


def ring_step(rank, ranks, way=1):
    peer = ranks[(ranks.index(rank) + way) % len(ranks)]
    return relative_signature([Node(kind="send", peer=peer, group="cp", bytes=8)], rank, {"cp": ("context", ranks)})


def test_a_signature_tells_neighbours_not_ranks():
    ranks = [0, 2, 4, 6]
    assert len({ring_step(rank, ranks) for rank in ranks}) == 1
    assert ring_step(0, ranks) == ring_step(8, [8, 10, 12, 14])
    assert ring_step(0, ranks) != ring_step(0, ranks, way=-1)
    assert ring_step(0, ranks) != ring_step(0, ranks + [8])


def test_a_signature_tells_shapes_and_order():
    one = [Node(name="a", kernel={"kind": "gemm", "m": 2}), Node(name="b", needs=[0])]
    for other in ([one[1], one[0]], [one[0], Node(name="b")], [Node(name="a", kernel={"kind": "gemm", "m": 3}), one[1]]):
        assert relative_signature(one, 0, {}) != relative_signature(other, 0, {})
