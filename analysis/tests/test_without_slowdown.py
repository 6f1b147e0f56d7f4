"""The choice of a layout without the slowdown: against the program, and against an obvious slow twin."""

import json
import pathlib
import tomllib

import numpy as np
import pytest

import echo_sweep as es
from echo_sweep.without_slowdown import LAYOUT


def test_it_says_what_the_program_says(result, run_program):
    told = json.loads(run_program("top", result, "-n", "1", "--json"))["without_slowdown"]
    found = es.open(result).without_slowdown()
    for name in ("slices", "slices_of_one_row", "another_wins", "share", "near_ties", "ties_decided", "median_loss",
                 "largest_loss", "alike_in", "includes_contention"):
        assert getattr(found, name) == told[name], name
    assert told["taxed"] and found.slices > 2
    if found.another_wins:
        assert told["largest"] == {name: found.changed[name][0] for name in ("wins_without", "wins_with")}


def test_conditions_choose_the_rows(result, run_program):
    where = "recompute == 'none' and tp >= 2"
    told = json.loads(run_program("top", result, "-n", "1", "--where", where, "--json"))["without_slowdown"]
    found = es.open(result).without_slowdown(where)
    assert (found.slices, found.another_wins) == (told["slices"], told["another_wins"])


def test_inputs_of_a_layout_are_inputs_of_the_file(result):
    assert set(LAYOUT) <= set(es.open(result).names("input"))


def test_inputs_of_a_layout_are_the_axes_that_say_so():
    axes = tomllib.loads((pathlib.Path(__file__).resolve().parents[2] / "src/training/axes.toml").read_text())["axis"]
    assert set(LAYOUT) == {axis["name"] for axis in axes if axis.get("of_layout")} | {"microbatches"}


def test_a_change_is_found_and_priced(synthetic):
    sweep = es.open(synthetic(values={"step_time": [6, 5, 4, 3, 2, np.nan],
                                      "step_time_no_contention": [6, 5, 4, 3, 2, np.nan],
                                      "step_time_no_slowdown": [6, 5, 1, 3, 2, np.nan], "gpus": [8] * 6}))
    found = sweep.without_slowdown()
    assert (found.slices, found.another_wins, found.largest_loss, found.ties_decided) == (1, 1, 1.0, 0)
    assert str(found).startswith("without slowdown, another layout wins in 1 of 1 slices (100.0%); taking it costs")


def test_a_tie_that_slowdown_decides_is_no_change(synthetic):
    found = es.open(synthetic(values={"step_time_no_slowdown": [2, 2, 2, 2, 2, np.nan]})).without_slowdown()
    assert (found.slices, found.another_wins, found.ties_decided) == (1, 0, 1)


@pytest.mark.parametrize("seed", range(30))
def test_row_against_row(synthetic, seed):
    random = np.random.default_rng(seed)
    values = {"step_time": random.integers(4, 8, 6) + random.choice([0, 2.0**-10], 6), "gpus": random.choice([8, 16], 6),
              "step_time_no_slowdown": random.integers(2, 5, 6).astype(float), "status": [0] * 6, "model": [0] * 6,
              "reason": [0] * 6}
    changed = decided = slices = 0
    for gpus in np.unique(values["gpus"]):
        rows = [i for i in range(6) if values["gpus"][i] == gpus]
        winners, others = ([i for i in rows if values[name][i] == min(values[name][j] for j in rows)]
                           for name in ("step_time", "step_time_no_slowdown"))
        slices += len(rows) > 1
        changed += not set(winners) & set(others)
        decided += bool(set(winners) & set(others)) and not set(others) <= set(winners)
    found = es.open(synthetic(values=values)).without_slowdown()
    assert (found.slices, found.another_wins, found.ties_decided) == (slices, changed, decided)
    assert len(found.winners["tax"]) == slices and sum(found.winners["loss"] > 0) == changed
    ids = list(es.open(synthetic(values=values)).feasible.ids())
    for winner, tax in zip(found.winners["wins"], found.winners["tax"]):
        i = ids.index(winner)
        assert tax == values["step_time"][i] / values["step_time_no_slowdown"][i] - 1
