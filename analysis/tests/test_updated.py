"""Files that `echo-sweep update` wrote: rankings, ties, fronts, luck and errors after measured runs are the program's."""

import json

import numpy as np
import pytest

import echo_sweep as es
from test_robust import objectives_toml

WHERE = "model == 'llama2-7b' and gpus == 16 and cluster == 'dgx-h100-ndr400'"


@pytest.fixture(scope="module")
def both(swept, small_sweep, run_program, tmp_path_factory):
    """(path of predictions, path of the same file after three runs that were not as predicted)."""
    before = swept(small_sweep + objectives_toml(["step_time", "mem_peak"]), "to-update")
    folder = tmp_path_factory.mktemp("updated")
    best = es.open(before).best(9, "step_time", None, WHERE)
    lines = [f"{best.ids()[place]},{best.column('step_time')[place] * factor!r},16"
             for place, factor in ((0, 1.12), (3, 0.97), (8, 1.03))]
    (folder / "measured.csv").write_text("\n".join(["id,step_time_s,steps", *lines]) + "\n")
    run_program("update", before, folder / "measured.csv", "-o", folder / "after.h5")
    return before, folder / "after.h5"


@pytest.mark.parametrize("by", ["step_time", "tokens_per_s_per_gpu"])
@pytest.mark.parametrize("where", [None, WHERE])
def test_order_ties_and_luck_are_the_program_s(by, where, both, run_program):
    words = ["--where", where] if where else []
    told = json.loads(run_program("top", both[1], "--by", by, "-n", "10000", "--keep-order", "--json", *words))
    sweep = es.open(both[1])
    by = {by: "min" if by == "step_time" else "max"}
    best = sweep.best(None, by, None, where)
    assert list(best.ids()) == [row["config_id"] for row in told["rows"]]
    np.testing.assert_allclose(best.column("step_time"), [row["step_time"] for row in told["rows"]], rtol=1e-12)
    tied = [row for row in told["rows"] if row["ties_with_first"]]
    ties = sweep.ties(by, where)
    assert list(ties["config_id"]) == [row["config_id"] for row in tied]
    np.testing.assert_allclose(ties["first_is_better"], [row["chance_first_is_better"] for row in tied], atol=1e-9)
    said, found = told["groups"][0]["without_luck"], sweep.without_luck(by, where)
    assert found.layouts == said["layouts"] > 1
    for name in ("share", "step_time", "mfu"):
        assert getattr(found, name) == pytest.approx(said[name], rel=1e-9, abs=1e-12), name


def test_the_front_in_the_file_is_the_one_after_the_runs(both):
    sweep = es.open(both[1])
    stored, found = sweep.pareto(robust=True), sweep.pareto(["step_time", "mem_peak"], robust=True)
    assert len(stored["config_id"]) > 1
    for name in ("config_id", "standing", "rival"):
        assert list(stored[name]) == list(found[name]), name
    np.testing.assert_allclose(stored["rival_chance"], found["rival_chance"], rtol=0, atol=1e-9)


def test_runs_change_the_first_row_and_narrow_its_band(both):
    before, after = es.open(both[0]), es.open(both[1])
    first = before.best(1, "step_time", None, WHERE).ids()[0]
    assert after.best(1, "step_time", None, WHERE).ids()[0] != first
    assert after[first]["step_time"] == pytest.approx(1.12 * before[first]["step_time"], rel=0.03)
    assert after[first]["rel_error_p90"] < 0.5 * before[first]["rel_error_p90"]
    assert after[first]["mem_peak"] == before[first]["mem_peak"]


def test_predictions_of_an_updated_file_are_those_of_the_file_before(both):
    before, predicted = es.open(both[0]), es.open(both[1], updated=False)
    for name in ("step_time", "tokens_per_s", "mfu", "rel_error", "rel_error_p90", "step_time_p90"):
        np.testing.assert_array_equal(predicted.column(name), before.column(name), err_msg=name)
    assert list(predicted.ties("step_time", WHERE)["config_id"]) == list(before.ties("step_time", WHERE)["config_id"])
