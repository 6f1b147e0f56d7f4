"""The package on a small file made here from the schema itself, without the C++ program."""

import pathlib
import sys
import tomllib

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))
import echo_sweep as es  # noqa: E402

PARTS = ["forward", "backward", "bubble"]
MEM_PARTS = ["weights", "activations"]


@pytest.fixture
def path(tmp_path):
    """Six configs: tp 1, 2, 4 by pp 1, 2; the last is infeasible. Step time falls with tp, then with pp."""
    schema = tomllib.loads((ROOT / "hdf5_schemas/results_v1.toml").read_text())
    rows = 6
    known = {"config": np.arange(rows), "config_id": 1000 + np.arange(rows), "tp": [1, 2, 4, 1, 2, 4],
             "pp": [1, 1, 1, 2, 2, 2], "status": [0, 0, 0, 0, 0, 1], "model": [1, 1, 1, 1, 1, 0],
             "step_time": [6, 5, 4, 3, 2, np.nan], "mfu": [0.1, 0.2, 0.5, 0.4, 0.3, np.nan]}
    words = {"models": "alpha zeta"}
    file_path = tmp_path / "small.h5"
    with h5py.File(file_path, "w", track_order=True) as file:
        file.attrs.update(schema=schema["schema"], schema_version=schema["version"], name="small", n_total=rows,
                          n_feasible=5, n_infeasible=1, n_failed=0, rows_digest="0123456789abcdef")
        group = file.create_group("breakdown")
        group["part"], group["mem_part"] = PARTS, MEM_PARTS
        for column in schema["column"]:
            width = {"part": len(PARTS), "mem_part": len(MEM_PARTS)}.get(column.get("dimension"))
            shape = (rows, width) if width else (rows,)
            values = np.array(known[column["name"]]) if column["name"] in known else np.ones(shape)
            dataset = file.create_dataset(column["name"], data=values.astype("<" + column["type"]))
            for key in ("units", "long_name", "description", "role", "objective"):
                if key in column:
                    dataset.attrs[key] = column[key]
            names = column.get("names")
            if names:
                meanings = " ".join(names) if isinstance(names, list) else words.get(names, "one other")
                dataset.attrs["flag_meanings"] = meanings
                dataset.attrs["flag_values"] = np.arange(len(meanings.split()), dtype="i1")
        provenance = file.create_group("provenance")
        provenance.attrs["program"] = "test"
        provenance["sweep_toml"], provenance["resolved_toml"] = "schema = 1", "schema = 1"
    return file_path


def test_words_come_decoded(path):
    sweep = es.open(path)
    assert list(sweep.column("model")) == ["zeta"] * 5 + ["alpha"]
    assert list(sweep.column("status")) == ["ok"] * 5 + ["infeasible"]


def test_roles_split_columns(path):
    sweep = es.open(path)
    assert "tp" in sweep.names("input") and "tp" not in sweep.names("metric")
    assert "mfu" in sweep.names("metric")


def test_top_knows_which_way_is_better(path):
    sweep = es.open(path)
    assert list(sweep.top(2)["step_time"]) == [2, 3]
    assert np.allclose(sweep.top(2, by="mfu")["mfu"], [0.5, 0.4])


def test_top_leaves_out_the_infeasible(path):
    assert len(es.open(path).top(10)) == 5


def test_top_of_each(path):
    best = es.open(path).top(1, per="tp")
    assert sorted(zip(best["tp"], best["step_time"])) == [(1, 3), (2, 2), (4, 4)]


def test_top_where(path):
    best = es.open(path).top(10, where={"pp": 1, "tp": [2, 4]})
    assert list(best["step_time"]) == [4, 5]


def test_frame_keeps_units_and_ids(path):
    frame = es.open(path).frame()
    assert frame.attrs["units"]["step_time"] == "s"
    assert frame["config_id"][0] == f"{1000:016x}"


def test_a_config_is_found_by_the_start_of_its_id(path):
    sweep = es.open(path)
    assert sweep.row_of(f"{1003:016x}") == 3
    with pytest.raises(KeyError):
        sweep.row_of("0")


def test_breakdown_is_labelled(path):
    parts = es.open(path).breakdown([0, 1])
    assert list(parts) == PARTS and parts["forward"].shape == (2,)
    assert list(es.open(path).breakdown([0], "mem")) == MEM_PARTS


def test_provenance_has_the_sweep(path):
    assert es.open(path).provenance()["sweep_toml"] == "schema = 1"


def test_other_files_are_refused(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = [1]
    with pytest.raises(ValueError, match="not a result file"):
        es.open(tmp_path / "other.h5")


def test_pictures_draw(path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    sweep = es.open(path)
    axes = sweep.plot.heatmap("tp", "pp")
    grid = np.ma.filled(axes.images[0].get_array(), np.nan)  # [pp][tp]
    assert grid[1, 1] == 2 and np.isnan(grid[1, 2])
    bars = sweep.plot.breakdown(top=3)
    assert len(bars.patches) == 3 * len(PARTS)
