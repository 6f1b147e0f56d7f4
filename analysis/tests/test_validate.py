"""Pictures of measured training steps, from the rows that the program writes of a made-up table."""

import csv
import subprocess
import sys

import numpy as np
import pytest
from conftest import ANALYSIS, is_light_and_the_same_each_time
from matplotlib import pyplot as plt

from echo_sweep.plots import steps
from echo_sweep.step_rows import StepRows

HEADER = ("row_id,source,framework,gpu,num_gpus,layers,hidden,heads,ffn_hidden,gated_ffn,vocab,seq_len,precision,tp,pp,dp,"
          "vpp,micro_batch,global_batch,recompute,schedule,flash_attention,step_time_s,stratum")


def line(name, source, stratum, seconds, tp=8, num_gpus=16):
    return (f"{name},{source},megatron-lm,a100-sxm-80gb,{num_gpus},24,2048,16,8192,0,51200,2048,bf16,{tp},{16 // tp},1,1,1,64,"
            f"full,1f1b,0,{seconds},{stratum}")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def rows_file(run_program, tmp_path_factory):
    """Nine groups, one far off, one without a measurement, one that cannot be."""
    folder = tmp_path_factory.mktemp("steps")
    lines = [line(f"r{i}", "me" if i % 2 else "you", f"s{i % 9}", 8 + 0.1 * i, tp=8 if i % 3 else 4) for i in range(36)]
    lines += [line("far", "me", "s0", 500), line("none", "me", "s0", ""), line("odd", "me", "s0", 9, num_gpus=7)]
    (folder / "steps.csv").write_text("\n".join([HEADER, *lines, ""]))
    run_program("validate", folder / "steps.csv", "--csv", folder / "rows.csv")
    return folder / "rows.csv"


def test_only_rows_with_both_times_are_read(rows_file):
    rows = StepRows(rows_file)
    assert len(rows) == 37
    np.testing.assert_allclose(rows.predicted / rows.measured, rows.ratio, rtol=1e-4)
    with open(rows_file, newline="") as file:
        told = [row for row in csv.DictReader(file) if row["row"] == "far"]
    assert rows.ratio[list(rows.row).index("far")] == pytest.approx(float(told[0]["ratio"]))


def test_groups_hold_every_row_and_features_may_share_one(rows_file):
    rows = StepRows(rows_file)
    assert sum(len(part) for part in rows.groups("source").values()) == len(rows)
    assert list(rows.groups())[0] == "s0"  # has most rows
    features = rows.groups("features")
    assert len(features["tp"]) == len(features["full recompute"]) == len(rows)
    with pytest.raises(KeyError):
        rows.groups("row")


def test_pictures_are_light_and_the_same_for_the_same_rows(rows_file, tmp_path):
    rows = StepRows(rows_file)
    for draw in (steps.scatter, steps.residuals):
        is_light_and_the_same_each_time(lambda: draw(rows), steps.save, tmp_path, 80_000)


def test_every_row_is_drawn_once_and_the_title_has_the_errors(rows_file):
    rows = StepRows(rows_file)
    axes = steps.scatter(rows).axes[0]
    drawn = [line for line in axes.lines if line.get_label()[0] != "_"]
    assert sum(len(line.get_xdata()) for line in drawn) == len(rows)
    assert drawn[-1].get_label().startswith("3 more")  # nine groups, six colours
    median, mean = rows.errors()
    assert f"error {100 * median:.1f} % median, {100 * mean:.1f} % mean" in axes.get_title(loc="left")


def test_what_is_far_off_stands_at_the_edge_and_every_group_has_a_line(rows_file):
    rows = StepRows(rows_file)
    axes = steps.residuals(rows).axes[0]
    dots = [line.get_xdata() for line in axes.lines if line.get_marker() == "."]
    assert sum(map(len, dots)) == len(rows)
    assert min(map(min, dots)) == -steps.WIDEST
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "s0 (5)"


def command_line(*words):
    return subprocess.run([sys.executable, "-B", "-m", "echo_sweep", "validate", *map(str, words)], cwd=ANALYSIS,
                          capture_output=True, text=True)


def test_the_command_draws_both_by_any_group(rows_file, tmp_path):
    done = command_line(rows_file, "--by", "source", "-o", tmp_path / "s.svg", tmp_path / "r.svg")
    assert done.returncode == 0, done.stderr
    assert "you (" in (tmp_path / "r.svg").read_text()
    assert (tmp_path / "s.svg").read_text().startswith("<?xml")


def test_rows_of_something_else_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    done = command_line(tmp_path / "x.csv", "-o", tmp_path / "s.svg", tmp_path / "r.svg")
    assert done.returncode == 2 and "echo-sweep validate" in done.stderr
    assert not list(tmp_path.glob("*.svg"))
