"""What a sweep says of its purpose: a target, limits, objectives; and the groups the program works out from them."""

import json

import numpy as np
import pytest
from test_questions import ask

import echo_sweep as es

PURPOSE = """
[target]
tokens = "1 T tokens"

[[limit]]
metric = "mem_peak"
max    = "40 GiB"
[[limit]]
metric = "train_time"
max    = "150 d"

[[objective]]
metric = "train_time"
goal   = "min"
[[objective]]
metric = "gpus"
goal   = "min"
"""


@pytest.fixture(scope="module")
def purposeful(swept, small_sweep):
    return swept(small_sweep + PURPOSE, "purposeful")


def test_the_first_objective_ranks(purposeful, run_program):
    sweep = es.open(purposeful)
    told = json.loads(run_program("top", purposeful, "-n", "20", "--keep-order", "--json"))
    assert sweep.ranking_metric() == told["by"] == "train_time"
    assert list(sweep.top(20)["config_id"]) == [row["config_id"] for row in told["rows"]]
    assert sweep.goal("gpus") == "min"  # no column says so, the sweep does


CONDITIONS = ["mem_peak < 20 GiB", "not mem_peak < 20 GiB", "train_time <= 80 d 12 h and tp != 2",
              "mfu > 0.3 or gpus == 16",
              "model == 'llama2-7b' and step_time * 2 < 5 s", "recompute != 'full' and exposed_comm_frac < 5 / 100"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_where_is_the_program_s_where(condition, purposeful, run_program):
    told = json.loads(run_program("top", purposeful, "-n", "10000", "--keep-order", "--where", condition, "--json"))
    chosen = es.open(purposeful).best(where=condition)
    assert list(chosen.ids()) == [row["config_id"] for row in told["rows"]]
    assert 0 < len(chosen) < len(es.open(purposeful).feasible)


def test_the_stored_front_is_the_one_found_here(purposeful):
    sweep = es.open(purposeful)
    assert list(sweep.pareto()["config_id"]) == list(sweep.front(["train_time", "gpus"]).ids())
    assert len(sweep.pareto()["config_id"]) > 1


def test_the_stored_effects_are_those_found_here(purposeful):
    sweep = es.open(purposeful)
    stored = sweep.group("effects")
    told = dict(zip(stored["axis"], stored["main_effect"]))
    found = sweep.main_effects()
    assert {name: told[name] for name in found} == pytest.approx(found, rel=1e-9, abs=1e-12)
    assert len(found) > 5 and list(found.values()) == sorted(found.values(), reverse=True)


def test_a_broken_limit_says_by_how_much(purposeful):
    sweep = es.open(purposeful)
    for limit, bound in (("mem_peak", 40 * 2**30), ("train_time", 150 * 86400)):
        row = sweep.where({"limit": limit})[0]
        why = row.why_not()
        assert (why.status, why.reason) == ("infeasible", "limit")
        assert why.margin == pytest.approx(row[limit] / bound - 1, rel=1e-6)
        assert str(why).startswith(f"infeasible: limit {limit}, ")
    assert not np.isnan(sweep.where({"limit": "mem_peak"}).column("step_time")).any()  # timed all the same, not ranked
    assert set(sweep.best().column("limit")) == {"none"}


def test_the_deadline_script_takes_the_sweep_s_target(purposeful):
    sweep = es.open(purposeful)
    days = sweep.feasible.column("train_time").min() / 86400
    code, text = ask("fewest_gpus_for_deadline.py", purposeful, "--deadline", f"{days * 1.0001} d")
    assert code == 0, text
    assert float(text.splitlines()[1].split()[-1]) == pytest.approx(days, rel=1e-3)
