"""Laying two traces beside each other."""

import subprocess
import sys

import pytest
from conftest import ANALYSIS

from echo_sweep import tracer
from echo_sweep.tracer.compare import Options, compare
from echo_sweep.tracer.trace_file import Group, Node, RankTrace, Trace, TraceError


def product(m, n, k, **more):
    return Node(kernel={"kind": "gemm", "m": m, "n": n, "k": k, **more})


def reduction(moved, kind="all_reduce", group="data"):
    return Node(kind="collective", collective=kind, bytes=moved, group=group)


def job(*nodes, role="data", ranks=(0, 1), rank=0, stands_for=None):
    return Trace(4, [Group("data", role, list(ranks))], [RankTrace(rank, list(nodes), stands_for)])


def told(a, b, **options):
    return [difference.text() for difference in compare(a, b, Options(**options))[0]]


def test_a_trace_is_like_itself():
    a = job(product(2, 3, 4), reduction(8), Node(kind="send", bytes=4, peer=1))
    assert told(a, a) == []


def test_products_are_equal_up_to_transposition_and_order():
    a = job(product(2, 3, 4), product(5, 6, 7, batch=2))
    b = job(product(6, 5, 7, batch=2), product(3, 2, 4, layout="nt"))
    assert told(a, b) == []
    assert told(a, job(product(2, 3, 4), product(5, 6, 7))) == ["rank 0 product: only in A: 5 x 6 x 7 x2",
                                                              "rank 0 product: only in B: 5 x 6 x 7"]
    assert told(a, job(), products=False) == []


def test_every_missing_product_is_counted():
    assert told(job(*[product(2, 3, 4)] * 3), job(product(2, 3, 4))) == ["rank 0 product: only in A: 2 x 3 x 4 x2"]


def test_communication_counts_in_order():
    a, b = job(reduction(8), reduction(16)), job(reduction(16), reduction(8))
    differences, _, notes = compare(a, b)
    assert differences and notes == ["rank 0: the same communication in another order"]
    assert told(a, job(reduction(8))) == ["rank 0 communication: only in A: all_reduce 16 B of 2 data"]
    assert told(a, job(reduction(8), reduction(17))) == [
        "rank 0 communication: all_reduce 16 B of 2 data | all_reduce 17 B of 2 data"]
    assert told(a, job(reduction(8), reduction(16, "broadcast"))) == [
        "rank 0 communication: all_reduce 16 B of 2 data | broadcast 16 B of 2 data"]


def test_size_and_role_of_the_group_count():
    a = job(reduction(8))
    assert len(told(a, job(reduction(8), ranks=(0, 1, 2)))) == 1
    assert len(told(a, job(reduction(8), role="tensor"))) == 1
    assert told(a, job(reduction(8), role="tensor"), roles=False) == []
    assert told(a, job(reduction(8), role="unknown")) == []


def test_groups_of_one_and_copies_to_the_host_are_no_communication():
    b = job(reduction(8, group="alone"), Node(kind="collective", collective="host_copy", bytes=4))
    b.groups.append(Group("alone", "tensor", [0]))
    assert told(job(), b) == []


def test_the_pass_counts_where_asked():
    a, b = job(reduction(8)), job(reduction(8))
    b.ranks[0].nodes[0].pass_ = "backward"
    assert told(a, b) == [] and len(told(a, b, passes=True)) == 1


def test_a_rank_is_laid_beside_the_one_that_stands_for_it():
    a, b = job(reduction(8), rank=3), job(reduction(9), stands_for=[0, 3])
    differences, ranks, _ = compare(a, b)
    assert ranks == [3] and len(differences) == 1
    with pytest.raises(TraceError, match="no rank in common"):
        compare(job(rank=1), job(rank=0))


def run(*words):
    return subprocess.run([sys.executable, "-m", "echo_sweep.tracer", "compare", *map(str, words)], capture_output=True,
                          text=True, cwd=ANALYSIS)


def test_the_command_says_alike_or_leaves_with_1(tmp_path):
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    tracer.write(job(reduction(8), product(1, 2, 3)), a)
    tracer.write(job(reduction(9), product(1, 2, 3)), b)
    same, other = run(a, a), run(a, b)
    assert same.returncode == 0 and same.stdout.splitlines()[-1] == "1 ranks: alike"
    assert other.returncode == 1 and other.stdout.splitlines()[-1] == "1 ranks: 1 differences"
    assert other.stdout.splitlines()[1].split() == ["all_reduce", "1", "8", "B", "|", "1", "9", "B", "DIFFERENT"]
    for words in ((a, tmp_path / "no.jsonl"), (a, __file__)):
        refused = run(*words)
        assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1 and refused.stdout == ""
