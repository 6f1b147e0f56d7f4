"""Ties, and fronts that know how wrong predictions are: against the program, and against obvious slow twins."""

import json
import math

import numpy as np
import pytest

import echo_sweep as es
from echo_sweep.errors import SURE, Objective, RowErrors, chance_to_beat
from echo_sweep.robust_front import robust_front

OBJECTIVES = [("step_time", "gpus"), ("tokens_per_s", "mem_peak"), ("mem_peak", "gpus"), ("mfu", "tokens_per_s")]


def objectives_toml(names):
    return "".join(f'\n[[objective]]\nmetric = "{name}"\ngoal = "{"max" if name in ("tokens_per_s", "mfu") else "min"}"\n'
                   for name in names)


@pytest.fixture(scope="module", params=OBJECTIVES, ids=" x ".join)
def judged(request, swept, small_sweep):
    return swept(small_sweep + objectives_toml(request.param), "judged-" + "-".join(request.param)), list(request.param)


# --- the same answers as the program's own
def test_the_front_of_a_file_is_the_one_found_here(judged):
    path, metrics = judged
    sweep = es.open(path)
    stored, found = sweep.pareto(robust=True), sweep.pareto(metrics, robust=True)
    assert len(stored["config_id"]) > 1
    for name in ("config_id", "standing", "rival"):
        assert list(stored[name]) == list(found[name]), name
    np.testing.assert_allclose(stored["rival_chance"], found["rival_chance"], rtol=0, atol=1e-9)
    assert set(stored["standing"]) <= {"robust", "tie", "unproven"}
    on_front = np.asarray(stored["standing"] != "unproven")
    assert list(sweep.pareto()["config_id"]) == list(np.asarray(stored["config_id"])[on_front])


@pytest.mark.parametrize("by", ["step_time", "tokens_per_s_per_gpu", "mem_peak", "gpus"])
@pytest.mark.parametrize("where", [None, "model == 'llama2-7b' and gpus == 16"])
def test_ties_are_the_program_s_ties(by, where, result, run_program):
    words = ["--where", where] if where else []
    told = json.loads(run_program("top", result, "--by", by, "-n", "10000", "--keep-order", "--json", *words))
    tied = [row for row in told["rows"] if row["ties_with_first"]]
    by = {"gpus": "min"} if by == "gpus" else by
    if by == {"gpus": "min"}:
        with pytest.raises(ValueError, match="no error of gpus"):
            es.open(result).ties(by, where)
        assert {row["chance_first_is_better"] for row in told["rows"]} <= {0.5, 1.0}
        return
    ties = es.open(result).ties(by, where)
    assert list(ties["config_id"]) == [row["config_id"] for row in tied]
    np.testing.assert_allclose(ties["first_is_better"], [row["chance_first_is_better"] for row in tied], atol=1e-9)
    assert told["groups"][0]["ties"]["tied_with_first"] == len(tied) - 1


@pytest.mark.parametrize("by", ["step_time", "tokens_per_s_per_gpu"])
@pytest.mark.parametrize("where", [None, "model == 'llama2-7b' and gpus == 16"])
def test_the_luck_of_being_first_is_the_program_s(by, where, result, run_program):
    words = ["--where", where] if where else []
    said = json.loads(run_program("top", result, "--by", by, "--keep-order", "--json", *words))["groups"][0]["without_luck"]
    found = es.open(result).without_luck(by, where)
    assert found.layouts == said["layouts"] > 1
    for name in ("share", "step_time", "mfu"):
        assert getattr(found, name) == pytest.approx(said[name], rel=1e-9, abs=1e-12), name
    assert found.step_time == pytest.approx(es.open(result).best(1, by, None, where)[0]["step_time"] * (1 + said["share"]))


UNTRIED = """
schema = 1
name = "untried"
[space]
model = "gpt3-175b"
cluster = "dgx-a100-hdr200"
framework = "megatron-core"
recipe = "nvidia-performance"
gpus = 1024
tp = 8
pp = [4, 8]
vpp = [1, 2, 3, 6, 12, 24]
micro_batch = [1, 2, 3]
kernels = ["fused", "compiled"]
global_batch = 1536
[[keep]]
name = "whole"
expr = "model.layers % (pp * vpp) == 0"
why = "whole stages"
"""


@pytest.mark.parametrize("by", ["step_time", "mfu"])
@pytest.mark.parametrize("where, moved", [(None, True), ("kernels == 'compiled'", True), ("vpp <= 3", True),
                                          ("kernels == 'fused' and vpp <= 3", False)])
def test_practice_puts_first_what_the_program_puts_first(by, where, moved, swept, run_program):
    result = swept(UNTRIED, "untried")
    words = ["--where", where] if where else []
    told = json.loads(run_program("top", result, "--by", by, "-n", "5", "--json", *words))
    sweep, said = es.open(result), told["groups"][0]["without_luck"]
    assert told["groups"][0]["tie_break"]["moved"] == moved
    assert list(sweep.top(5, by, None, where)["config_id"]) == [row["config_id"] for row in told["rows"]]
    ties = sweep.ties(by, where, keep_order=False)
    assert ties["config_id"][0] == told["rows"][0]["config_id"]
    assert len(ties["config_id"]) == told["groups"][0]["ties"]["tied_with_first"] + 1
    found = sweep.without_luck(by, where, keep_order=False)
    assert found.layouts == said["layouts"] > 1
    for name in ("share", "step_time", "mfu"):
        assert getattr(found, name) == pytest.approx(said[name], rel=1e-9, abs=1e-12), name


def test_practice_decides_in_each_group_as_the_program_has_it(swept, run_program):
    result = swept(UNTRIED, "untried")
    told = json.loads(run_program("top", result, "--per", "kernels,pp", "-n", "2", "--json"))
    found = es.open(result).top(2, per=["kernels", "pp"])
    assert sorted(found["config_id"]) == sorted(row["config_id"] for row in told["rows"])
    assert any(group["tie_break"]["moved"] for group in told["groups"])


def test_without_errors_luck_is_not_known(result):
    with pytest.raises(ValueError, match="no error of gpus"):
        es.open(result).without_luck({"gpus": "min"})


# --- against every pair, one by one
def slow_chance(objectives, errors, a, b):
    """As base/error_source.hpp and results/rank/contest.hpp say it, a pair at a time."""
    low, high, variance = {}, {}, {}
    for objective in objectives:
        gap = objective.cost[b] - objective.cost[a]
        if not objective.slope:
            if gap < 0:
                return 0.0
            continue
        kind = objective.follows == "mem_peak"
        variance[kind] = errors.memory[a] ** 2 + errors.memory[b] ** 2 if kind else sum(
            (errors.step[a, k] - errors.step[b, k]) ** 2 if owner is not None and owner[a] == owner[b]
            else errors.step[a, k] ** 2 + errors.step[b, k] ** 2 for k, owner in enumerate(errors.owners))
        if objective.slope > 0:
            high[kind] = min(high.get(kind, math.inf), gap)
        else:
            low[kind] = max(low.get(kind, -math.inf), -gap)
    if not any(variance.values()) and all(o.cost[a] == o.cost[b] for o in objectives):
        return float(a < b)
    chance = 1.0
    for kind, spread in variance.items():
        bounds = low.get(kind, -math.inf), high.get(kind, math.inf)
        if spread == 0:
            chance *= bounds[0] <= 0 <= bounds[1]
        elif bounds[0] > bounds[1]:
            return 0.0
        else:
            cdf = [0.5 * math.erfc(-bound / math.sqrt(2 * spread)) for bound in bounds]
            chance *= cdf[1] - cdf[0]
    return chance


def slow_front(objectives, errors):
    costs = [tuple(values) for values in zip(*(objective.cost for objective in objectives))]
    is_off = [any(all(x <= y for x, y in zip(other, cost)) and (other != cost or a < b)
                  for a, other in enumerate(costs) if a != b) for b, cost in enumerate(costs)]
    found = {}
    for b in range(len(costs)):
        chances = [(slow_chance(objectives, errors, a, b), -a) for a in range(len(costs)) if a != b]
        if is_off[b] and max(chances)[0] >= SURE:
            continue
        chance, rival = max((one for one in chances if not (is_off[b] and is_off[-one[1]])), default=(0.0, 0))
        rival = -rival if chance >= 1 - SURE else -1
        found[b] = "unproven" if is_off[b] else "robust" if rival < 0 else "tie", rival
    return found


def random_case(seed):
    random = np.random.default_rng(seed)
    rows, spread, scale = random.integers(1, 60), [0.02, 0.3, 3.0][seed % 3], [0.0, 0.01, 0.05, 0.3][seed % 4]
    owners = [random.integers(0, 2, rows), random.integers(0, 3, rows), None]
    errors = RowErrors(scale * random.random((rows, 3)), owners, scale * random.random(rows))
    step = 1.0 + spread * np.round(20 * random.random(rows)) / 20  # equal values are common
    columns = {"step_time": (step, "min"), "1/step_time": (1 / step, "max"), "none": (random.integers(1, 6, rows), "min"),
               "mem_peak": (1.0 + spread * random.random(rows), "min")}
    chosen = random.choice(list(columns), size=random.integers(2, 4), replace=False)
    return [Objective(*columns[follows], follows) for follows in chosen], errors


@pytest.mark.parametrize("seed", range(60))
def test_the_front_is_that_of_every_pair(seed):
    objectives, errors = random_case(seed)
    found = robust_front(objectives, errors)
    expected = slow_front(objectives, errors)
    assert dict(zip(found.rows.tolist(), found.standing.tolist())) == {b: one[0] for b, one in expected.items()}
    assert dict(zip(found.rows.tolist(), found.rival.tolist())) == {b: one[1] for b, one in expected.items()}


@pytest.mark.parametrize("seed", range(20))
def test_a_chance_is_that_of_the_pair(seed):
    objectives, errors = random_case(seed)
    rows = np.arange(len(errors.memory))
    found = chance_to_beat(objectives, errors, rows[:, None], rows[None, :])
    for a in rows:
        for b in rows[rows != a]:
            assert abs(found[a, b] - slow_chance(objectives, errors, a, b)) < 1e-12


# --- what is not known
def test_a_file_without_errors_claims_no_ties(synthetic):
    errors = [f"error_{name}" for name in ("arithmetic", "memory", "scale_up", "scale_out", "latency", "host", "overlap",
                                           "framework", "layout")]
    sweep = es.open(synthetic(without=["rel_error", "rel_error_p90", "mem_rel_error", *errors]))
    with pytest.raises(ValueError, match="holds no error of step_time"):
        sweep.ties("step_time")
    with pytest.raises(ValueError, match="holds no error of step_time"):
        sweep.pareto({"step_time": "min", "gpus": "min"}, robust=True)
    assert len(sweep.plot.pareto("mem_peak", "step_time").lines) == 3


def test_a_derived_column_has_the_error_of_what_it_is_made_of(result):
    sweep = es.open(result)
    for expression, follows in [("step_time * gpus * 2", "step_time"), ("gpus / tokens_per_s", "step_time"),
                                ("tokens_per_s / gpus", "1/step_time"), ("step_time * tokens_per_s", "none"),
                                ("mem_peak / mem_limit", "unknown"), ("mem_peak / 1 GiB", "mem_peak"), ("step_time + 1 s", "unknown"),
                                ("bubble_frac * step_time", "unknown"), ("tp * pp", "none")]:
        assert sweep.derive("new", expression, "1", "min").about("new").error_follows == follows, expression
    cost = sweep.derive("cost", "step_time * gpus", "s", "min")
    twice = cost.derive("twice", "2 * cost", "s", "min")
    assert twice.about("twice").error_follows == "step_time"
    assert list(twice.ties("twice")["config_id"]) == list(cost.ties("cost")["config_id"])
