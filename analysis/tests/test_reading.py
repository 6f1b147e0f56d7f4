"""What a file says, read back: by name, with its words and units, whatever else a later version adds."""

import ast

import h5py
import numpy as np
import pytest
from conftest import ANALYSIS

import echo_sweep as es


def test_the_program_s_counts_are_in_the_repr(result):
    with es.open(result) as sweep, h5py.File(result) as file:
        shown = repr(sweep)
        assert len(sweep) == file["config"].shape[0] == sweep.attributes["n_total"]
        assert f"{file.attrs['n_feasible']} feasible" in shown and f"{file.attrs['n_infeasible']} infeasible" in shown
        assert "complete" in shown and file.attrs["rows_digest"][:8] in shown and file.attrs["schema_version"] in shown
        assert len(sweep.feasible) == file.attrs["n_feasible"] > 0


def test_a_partial_file_says_so(synthetic):
    assert "partial" in repr(es.open(synthetic(attributes={"state": "partial", "n_pending": 3})))
    assert "3 pending" in repr(es.open(synthetic(attributes={"state": "partial", "n_pending": 3})))


def test_the_settings_that_rows_depend_on_are_there(result, synthetic):
    settings = es.open(result).settings
    assert settings["slowdown"] in ("auto", "off", "contention", "file")
    assert settings["contention"] in ("analytical", "off", "flow") and settings["workload_times"] == ""
    assert es.open(synthetic()).settings == {}  # as a file before schema 1.7


def test_opening_reads_no_column(result, monkeypatch):
    def refuse(*_):
        raise AssertionError("a dataset was read")

    monkeypatch.setattr(h5py.Dataset, "__getitem__", refuse)
    sweep = es.open(result)
    assert "tp" in sweep.names("input")
    with pytest.raises(AssertionError):
        sweep.column("tp")


def test_words_come_decoded(synthetic):
    sweep = es.open(synthetic())
    assert list(sweep.column("model")) == ["zeta"] * 5 + ["alpha"]
    assert list(sweep.column("status")) == ["ok"] * 5 + ["infeasible"]


def test_a_code_without_a_word_is_an_error(synthetic):
    with pytest.raises(ValueError, match="model holds code 7"):
        es.open(synthetic(values={"model": [0, 0, 0, 0, 0, 7]})).column("model")


def test_roles_split_columns_and_inputs_keep_the_file_s_order(result):
    sweep = es.open(result)
    assert sweep.names("input") == sweep.attributes["coordinates"].split()
    assert "mfu" in sweep.names("metric") and "status" in sweep.names("outcome")


def test_a_wrong_name_is_answered_with_near_ones(synthetic):
    with pytest.raises(KeyError, match="near: .*mem_peak"):
        es.open(synthetic()).column("mem_peek")


def test_columns_that_are_not_known_yet_come_along(synthetic):
    sweep = es.open(synthetic(values={"carbon": [1, 2, 3, 4, 5, 6]}))
    assert "carbon" in sweep.names("metric") and list(sweep.where("carbon > 4").column("carbon")) == [5, 6]


def test_columns_of_later_versions_are_not_required(synthetic):
    sweep = es.open(synthetic(without=["limit", "limit_excess", "train_time", "tokens_per_s_per_gpu"]))
    assert list(sweep.top(1, by="tokens_per_s_per_gpu")["tokens_per_s_per_gpu"]) == [50 / 8]


def test_other_files_and_other_majors_are_refused(synthetic, tmp_path):
    with pytest.raises(ValueError, match="schema 2.0; this package reads 1.x"):
        es.open(synthetic(attributes={"schema_version": "2.0"}))
    assert len(es.open(synthetic(attributes={"schema_version": "1.99"}))) == 6
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = [1]
    with pytest.raises(ValueError, match="not a result file"):
        es.open(tmp_path / "other.h5")


def test_frame_has_categories_units_and_ids(result):
    sweep = es.open(result)
    frame = sweep.frame()
    assert frame.attrs["units"]["step_time"] == "s" and frame.attrs["units"]["mem_peak"] == "byte"
    assert list(frame["recompute"].cat.categories) == ["none", "selective", "full", "per_op"]
    assert len(frame) == len(sweep) and frame["config_id"][0] == sweep[0].id


def test_without_pandas_a_frame_is_a_dict_of_arrays(result, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    frame = es.open(result).frame(["config_id", "tp", "model"])
    assert type(frame) is dict and len(frame["tp"]) == len(frame["model"]) and len(frame["config_id"][0]) == 16


def test_dataset_is_what_xarray_opens_with_words(result):
    import xarray

    with es.open(result) as sweep, xarray.open_dataset(result, engine="netcdf4") as plain:
        dataset = sweep.dataset()
        assert set(dataset.coords) == set(plain.coords) and set(dataset.data_vars) == set(plain.data_vars)
        np.testing.assert_array_equal(dataset["step_time"], plain["step_time"])
        assert list(dataset["model"].values) == list(sweep.column("model"))
        assert dataset["step_time"].attrs["units"] == "s"
        eight = sweep.where("tp == 8")
        np.testing.assert_array_equal(eight.dataset()["step_time"], eight.column("step_time"))


def test_parts_sum_to_the_step_and_memory_to_its_peak(result):
    for row in es.open(result).best(3):
        assert sum(row.breakdown().values()) == pytest.approx(row["step_time"], rel=1e-12)
        assert sum(row.memory().values()) == pytest.approx(row["mem_peak"], rel=1e-12)


def test_breakdown_of_chosen_rows_is_theirs(result):
    sweep = es.open(result)
    chosen = sweep.best(5)
    assert any(np.diff(chosen._rows) < 0) or len(chosen) == 5  # ranked, so not in file order
    everything = sweep.breakdown()["forward"]
    np.testing.assert_array_equal(chosen.breakdown()["forward"], everything[chosen._rows])


def test_provenance_has_the_sweep_verbatim(result, small_sweep):
    facts = es.open(result).provenance()
    assert facts["sweep_toml"] == small_sweep and facts["program"] == "echo-sweep"
    assert len(facts["inputs"]["name"]) == len(facts["inputs"]["hash"]) > 0


def test_failures_are_read_where_there_are_some(synthetic):
    assert len(es.open(synthetic()).failures()) == 0
    group = {"config": [5], "message": ["overflow at stage 2"]}
    row = es.open(synthetic(values={"status": [0, 0, 0, 0, 0, 2]}, groups={"failures": group}))[5]
    assert "failed" in str(row.why_not()) and "overflow at stage 2" in str(row.why_not())


def test_every_file_is_python_3_9(request):
    for path in sorted((ANALYSIS / "echo_sweep").rglob("*.py")):
        ast.parse(path.read_text(), feature_version=(3, 9))
