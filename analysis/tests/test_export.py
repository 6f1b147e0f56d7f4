"""Rows as other programs read them: CSV and Parquet hold what the file holds, whole or where a condition is met."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import ANALYSIS

import echo_sweep as es
from echo_sweep import exporting


def run(*words, code=0):
    done = subprocess.run([sys.executable, "-B", "-m", "echo_sweep", "export", *map(str, words)], capture_output=True,
                          text=True, cwd=ANALYSIS)
    assert done.returncode == code, done.stderr
    return done


def test_csv_holds_the_rows_of_a_condition(result, tmp_path, monkeypatch):
    rows = es.open(result).where("tp <= 2")
    run(result, "--where", "tp <= 2", "-o", tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="") as stream:
        read = list(csv.DictReader(stream))
    assert len(read) == len(rows) > 10 and list(read[0]) == rows.names()
    for name in ("config_id", "tp", "status", "step_time"):
        values = rows.ids() if name == "config_id" else rows.column(name)
        assert [row[name] for row in read] == [str(value) for value in values.tolist()]
    monkeypatch.setattr(exporting, "ROWS_AT_ONCE", 7)  # the same, a few rows at once
    stream = io.StringIO()
    exporting.write_csv(rows, rows.names(), stream)
    assert stream.getvalue() == (tmp_path / "rows.csv").read_text()
    assert run(result, "--where", "tp <= 2").stdout == stream.getvalue()


def test_what_cannot_be_exported_leaves_nothing_behind(result, tmp_path):
    target = tmp_path / "rows.out"
    target.write_text("mine")
    for words in (["--columns", "tp,speed", "-o", target], ["--where", "tp =", "-o", target], ["--format", "parquet"],
                  ["-o", tmp_path / "no/where.csv"]):
        told = run(result, *words, code=2)
        assert told.stdout == "" and len(told.stderr.splitlines()) == 1, told.stderr
    assert target.read_text() == "mine" and list(tmp_path.iterdir()) == [target]


def test_without_pyarrow_parquet_says_what_to_install(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match="pip install pyarrow"):
        exporting.export(es.open(result), "parquet", tmp_path / "rows.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("at_once", [7, 1 << 17])
def test_parquet_holds_values_types_words_and_units(result, tmp_path, monkeypatch, at_once):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (pip install pyarrow)")
    monkeypatch.setattr(exporting, "ROWS_AT_ONCE", at_once)
    rows = es.open(result).where("pp <= 4")
    exporting.export(rows, "parquet", tmp_path / "rows.parquet")
    read = parquet.read_table(tmp_path / "rows.parquet")
    assert read.column_names == rows.names() and read.num_rows == len(rows)
    for name in rows.names():
        values, column = (rows.ids() if name == "config_id" else rows.column(name)), rows.about(name)
        taken = read[name].to_pylist()
        if name == "config_id" or column.words or values.dtype.kind in "OSU":
            assert taken == values.tolist(), name
            continue
        assert str(read.schema.field(name).type) == {"float64": "double", "float32": "float"}.get(str(values.dtype), str(values.dtype))
        assert np.array_equal(np.array(taken), values, equal_nan=values.dtype.kind == "f"), name
    assert read.schema.field("step_time").metadata[b"units"] == b"s"
    assert read.schema.field("step_time").metadata[b"objective"] == b"min"
    assert json.loads(read.schema.metadata[b"echo_sweep"])["rows_digest"] == rows.attributes["rows_digest"]


def test_parquet_of_no_rows_has_all_columns(result, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (pip install pyarrow)")
    rows = es.open(result).where("tp == 12345")
    exporting.export(rows, "parquet", tmp_path / "rows.parquet")
    read = parquet.read_table(tmp_path / "rows.parquet")
    assert read.num_rows == 0 and read.column_names == rows.names()
