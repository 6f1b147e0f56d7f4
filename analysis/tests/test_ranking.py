"""Which rows come first, and what stands around one: against the program, and against obvious slow twins."""

import itertools
import json

import numpy as np
import pytest

import echo_sweep as es
from echo_sweep.effects import main_effect
from echo_sweep.pareto import front_of

from conftest import find_program


# --- the same answers as the program's own
@pytest.mark.parametrize("by", ["auto", "step_time", "tokens_per_s", "tokens_per_s_per_gpu", "mfu"])
def test_top_is_the_program_s_top(result, run_program, by):
    told = json.loads(run_program("top", result, "--by", by, "-n", "25", "--keep-order", "--json"))
    best = es.open(result).top(25, by=by)
    assert list(best["config_id"]) == [row["config_id"] for row in told["rows"]]
    assert list(best["step_time"]) == [row["step_time"] for row in told["rows"]]
    if by == "auto":
        assert es.open(result).ranking_metric() == told["by"]


def test_a_row_is_the_program_s_row(result, run_program):
    sweep = es.open(result)
    row = sweep.best(1)[0]
    told = json.loads(run_program("show", result, row.id, "--json"))
    assert told["config_id"] == row.id and told["step_time"] == row["step_time"] and told["tp"] == row["tp"]
    assert sweep[row.id[:10]].id == sweep[row.id.upper()].id == row.id


def test_next_runs_are_the_program_s(result, run_program):
    sweep = es.open(result)
    plan = sweep.next_runs(2, program=find_program())
    assert plan == json.loads(run_program("next", result, "--runs", "2", "--json"))
    assert plan["chosen"] == sweep.best(1)[0].id and len(plan["runs"]) == 2
    with pytest.raises(RuntimeError, match="say nothing of a ranking by gpus"):
        sweep.next_runs(by="gpus", program=find_program())


# --- best
def test_best_knows_which_way_is_better(synthetic):
    sweep = es.open(synthetic())
    assert list(sweep.top(2, by="step_time")["step_time"]) == [2, 3]
    assert np.allclose(sweep.top(2, by="mfu")["mfu"], [0.5, 0.4])
    with pytest.raises(ValueError, match="which way slowdown_tax is better"):
        sweep.top(by="slowdown_tax")
    assert list(sweep.top(2, by={"tp": "max"})["tp"]) == [4, 2]


def test_best_leaves_out_the_infeasible_even_where_they_have_a_time(synthetic):
    sweep = es.open(synthetic(values={"step_time": [6, 5, 4, 3, 2, 1], "reason": [0] * 5 + [2],
                                      "limit": [0] * 5 + [1], "limit_excess": [np.nan] * 5 + [0.25]}))
    assert list(sweep.top(10, by="step_time")["step_time"]) == [2, 3, 4, 5, 6]
    assert str(sweep[5].why_not()) == "infeasible: limit step_time, 25 % beyond it"


def test_best_of_each(synthetic):
    sweep = es.open(synthetic())
    best = sweep.top(1, by="step_time", per="tp")
    assert sorted(zip(best["tp"], best["step_time"])) == [(1, 3), (2, 2), (4, 4)]
    assert len(sweep.best(1, by="step_time", per=["tp", "pp"])) == 5


def test_where_takes_a_dict_or_a_condition(synthetic):
    sweep = es.open(synthetic())
    for where in ({"pp": 1, "tp": [2, 4]}, "pp == 1 and tp >= 2"):
        assert list(sweep.top(10, by="step_time", where=where)["step_time"]) == [4, 5]
    assert len(sweep.where("model == 'alpha'")) == len(sweep.where({"model": "alpha"})) == 1


def test_a_derived_column_ranks(synthetic):
    sweep = es.open(synthetic()).derive("days", "864 k / tokens_per_s / 1 d", "d", "min")
    assert list(sweep.top(2, by="days")["days"]) == [864e3 / 50 / 86400, 864e3 / 40 / 86400]
    assert list(sweep.where("days < 0.25").column("tp")) == [4]


# --- Pareto fronts
def slow_front(costs):
    """Every row against every other."""
    return [not np.isnan(a).any() and not any((b <= a).all() and (b < a).any() for b in costs) for a in costs]


@pytest.mark.parametrize("seed", range(40))
def test_the_front_is_exact(seed):
    random = np.random.default_rng(seed)
    shape = random.integers(0, 60), random.integers(1, 5)
    costs = random.integers(-3, 4, shape).astype(float)  # small integers: many ties and duplicates
    if seed % 2:
        costs += random.normal(size=shape)
    costs[random.random(shape) < 0.1] = [np.nan, np.inf, -np.inf, -0.0][seed % 4]
    costs[(costs == 0) & (random.random(shape) < 0.5)] = -0.0  # one value, written two ways
    assert list(front_of(costs)) == slow_front(costs), f"seed {seed}"


def test_pareto_of_a_file_is_exact(result):
    sweep = es.open(result)
    metrics = {"tokens_per_s": "max", "mem_peak": "min", "gpus": "min"}
    ranked = sweep.ranked
    expected = ranked.view(np.array(slow_front(ranked.costs(metrics))))
    assert sorted(sweep.pareto(metrics)["config_id"]) == sorted(expected.ids())
    assert 1 < len(expected) < len(ranked) <= len(sweep.feasible)
    front = sweep.pareto(["tokens_per_s", "mem_peak"])
    assert (np.diff(front["tokens_per_s"]) <= 0).all() and (np.diff(front["mem_peak"]) <= 0).all()


def test_the_file_s_own_front_is_read_where_there_is_one(synthetic):
    with pytest.raises(ValueError, match="no front of its own"):
        es.open(synthetic()).pareto()
    group = {"config": [1, 4], "step_time": [5.0, 2.0]}
    assert list(es.open(synthetic(groups={"pareto": group})).pareto()["config_id"]) == [f"{1001:016x}", f"{1004:016x}"]


# --- cubes and effects
@pytest.mark.parametrize("reduce", ["best", "min", "max", "mean", "median"])
def test_a_cube_holds_what_a_loop_finds(result, reduce):
    sweep = es.open(result)
    cube = sweep.cube("tokens_per_s", ["model", "tp", "pp"], where="gpus == 32", reduce=reduce)
    rows = sweep.where("gpus == 32")
    function = {"best": max, "min": min, "max": max, "mean": np.mean, "median": np.median}[reduce]
    for cell in itertools.product(*(range(len(values)) for values in cube.axes.values())):
        place = {name: values[i] for (name, values), i in zip(cube.axes.items(), cell)}
        found = [row for row in rows.where({name: [value] for name, value in place.items()})]
        values = [row["tokens_per_s"] for row in found if row["status"] == "ok"]
        assert cube.runs[cell] == len(found) and cube.feasible[cell] == len(values)
        if reduce == "best":  # of those that surely enough fit
            values = [row["tokens_per_s"] for row in found if row["status"] == "ok" and row["fit_chance"] >= 0.9]
        np.testing.assert_allclose(cube.values[cell], function(values) if values else np.nan, rtol=1e-14)
    assert np.isnan(np.asarray(cube)).any() and not np.isnan(np.asarray(cube)).all()
    assert cube.xarray().sel(tp=8).dims == ("model", "pp")


def test_a_cube_tells_not_run_from_does_not_fit(synthetic):
    cube = es.open(synthetic()).where("tp < 4 or pp == 2").cube("step_time", ["pp", "tp"])
    assert np.isnan(cube.values[0, 2]) and cube.runs[0, 2] == 0
    assert np.isnan(cube.values[1, 2]) and cube.runs[1, 2] == 1 and cube.feasible[1, 2] == 0
    assert cube.values[1, 1] == 2


def slow_effect(codes, values):
    means = np.array([np.mean([v for c, v in zip(codes, values) if c == code]) for code in codes])
    return np.var(means) / np.var(values)


@pytest.mark.parametrize("seed", range(10))
def test_main_effects_are_shares_of_variance(seed):
    random = np.random.default_rng(seed)
    codes, values = random.integers(0, 4, 50), random.normal(size=50)
    assert main_effect(codes, values) == pytest.approx(slow_effect(codes, values), rel=1e-12)
    assert main_effect(codes, 3.0 * codes) == pytest.approx(1.0)


def test_main_effects_of_a_full_crossing_sum_to_at_most_one(synthetic):
    times = [pp * tp**2 for pp in (1, 2) for tp in (1, 2, 4)]  # no interaction of logarithms: exactly 1
    sweep = es.open(synthetic(values={"status": [0] * 6, "step_time": times, "model": [1] * 6}))
    effects = sweep.main_effects("step_time")
    assert list(effects) == ["tp", "pp"] and sum(effects.values()) == pytest.approx(1.0)


# --- one row
def test_axes_are_what_the_sweep_turns(result):
    assert es.open(result).axes() == ["model", "cluster", "recompute", "gpus", "tp", "pp", "micro_batch", "zero",
                                      "sequence_parallel"]


def test_zipped_inputs_are_one_axis(swept, small_sweep):
    text = small_sweep.replace("pp        = [1, 2, 4]\n", "").replace("micro_batch  = [1, 2]\n", "")
    text = text.replace("[derive]", "[space.paired]\npp = [1, 2, 4]\nmicro_batch = [1, 2, 1]\n\n[derive]")
    axes = es.open(swept(text, "paired")).axes()
    assert ("pp" in axes) + ("micro_batch" in axes) == 1 and "tp" in axes and "dp" not in axes


def test_neighbours_differ_in_one_axis(result):
    sweep = es.open(result)
    axes, row = sweep.axes(), sweep.best(1)[0]
    expected = sorted(other.id for other in sweep if sum(other[name] != row[name] for name in axes) == 1)
    around = sweep[row.id].neighbours()
    assert sorted(around["config_id"]) == expected and len(expected) > 5
    for axis, value, row_id in zip(around["axis"], around["value"], around["config_id"]):
        assert sweep[row_id][axis] == value != row[axis]


def test_neighbours_are_those_of_the_file_whatever_rows_were_chosen(result):
    sweep = es.open(result)
    best = sweep.best(1)[0]
    expected = list(sweep[best.id].neighbours()["config_id"])
    assert list(best.neighbours()["config_id"]) == expected
    assert list(sweep.where(f"tp == {best['tp']}")[best.id].neighbours()["config_id"]) == expected
    assert repr(best) == repr(sweep[best.id])


def test_a_file_of_one_point_has_no_neighbours(swept):
    text = '[space]\nmodel = "llama2-7b"\ncluster = "dgx-h100-ndr400"\ngpus = 8\ntp = 2\npp = 1\nglobal_batch = 16\n'
    row = es.open(swept(text, "one_point"))[0]
    assert len(row.neighbours()["config_id"]) == 0


def test_why_not_says_what_lacks(synthetic, result):
    sweep = es.open(synthetic())
    why = sweep[5].why_not()
    assert (why.status, why.reason, why.margin, why.units) == ("infeasible", "memory", 8 * 2.0**30, "byte")
    assert "short by 8 GiB" in str(why) and sweep[0].why_not() is None
    for row in es.open(result).where("reason == 'memory'"):
        assert row.why_not().margin == pytest.approx(row["mem_peak"] - row["mem_limit"])
        break
    else:
        pytest.fail("no config of the small sweep lacks memory")


def test_diff_adds_up_to_the_difference_of_the_steps(result):
    first, second = es.open(result).best(2)
    difference = first.diff(second)
    assert sum(difference.parts.values()) == pytest.approx(second["step_time"] - first["step_time"], abs=1e-9)
    assert difference.inputs
    assert all((first[name], second[name]) == pair for name, pair in difference.inputs.items())
    assert next(iter(difference.inputs)) in str(difference)


def test_a_row_is_found_by_the_start_of_its_id_only_if_it_is_one(synthetic):
    sweep = es.open(synthetic())
    assert sweep[f"{1003:016x}"]["config"] == 3 and sweep[-1]["config"] == 5
    with pytest.raises(KeyError, match="6 configs start with '0'"):
        sweep["0"]
    with pytest.raises(IndexError):
        sweep[6]


# --- two files
def test_a_changed_sweep_is_told_from_a_changed_result(result, swept, small_sweep):
    sweep = es.open(result)
    assert len(sweep.diff(sweep).changed["config_id"]) == 0 and "no cause on record" in str(sweep.diff(sweep))
    other = es.open(swept(small_sweep.replace("gpus      = [16, 32]", "gpus      = [32, 64]"), "other"))
    difference = sweep.diff(other)
    assert difference.common == len(sweep.where("gpus == 32")) > 0 and len(difference.changed["config_id"]) == 0
    assert set(difference.only_before.column("gpus")) == {16} and set(difference.only_after.column("gpus")) == {64}
    assert "sweep - gpus = [ 16, 32 ]" in difference.causes and "sweep + gpus = [ 32, 64 ]" in difference.causes


def test_a_changed_rank_is_told(synthetic, tmp_path):
    before = es.open(synthetic().rename(tmp_path / "before.h5"))
    after = es.open(synthetic(values={"step_time": [6, 5, 4, 3, 9, np.nan], "status": [0, 0, 1, 0, 0, 1]}))
    changed = before.diff(after, "step_time").changed
    assert list(changed["config_id"]) == [f"{1004:016x}", f"{1002:016x}"]
    assert list(changed["rank_before"]) == [1, 3] and list(changed["rank_after"]) == [4, 0]
    assert list(changed["step_time_after"]) == [9, 4] and list(changed["status_after"]) == ["ok", "infeasible"]
