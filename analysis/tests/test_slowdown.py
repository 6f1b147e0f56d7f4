"""Pictures of overlaps and of what predictions depend on, from what the program writes of a made-up table."""

import csv
import json
import random
import subprocess
import sys

import numpy as np
import pytest
from conftest import ANALYSIS
from matplotlib import pyplot as plt

from echo_sweep.plots import slowdown
from echo_sweep.slowdown_rows import Explanation, SlowdownRows

SLOWED = {"norm": 1.5, "gemm": 0.05, "copy": 0.6, "sum": 0.2}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def written(run_program, tmp_path_factory):
    """{"rows": the rows of an evaluation, "explained": an explanation}; kernels are slowed by their name."""
    folder = tmp_path_factory.mktemp("slowdown")
    draw = random.Random(1)
    lines = ["id,kShortName,kDemangledName,ground_truth,duration,overlap_ratio,slowdown,ID,Kernel Name,Compute throughput,"
             "SM,Memory throughput,DRAM throughput,Achieved occupancy,Maximum occupancy,L1 hit rate,L2 hit rate"]
    for i in range(80):
        name, alone, ratio = draw.choice(sorted(SLOWED)), draw.randrange(5_000, 500_000), int(draw.random() < 0.8)
        slowed = ratio * (SLOWED[name] + 0.02 * draw.uniform(-1, 1))
        lines.append(f"{i},{name},{name}<float>,{alone},{round(alone * (1 + slowed))},{ratio},,{i},{name},10,108,20,"
                     f"{draw.randrange(90)},40,100,5,6")
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    run_program("slowdown", "import", folder / "table.csv", "-o", folder / "data.h5", "--gpu", "a100-sxm-80gb")
    run_program("slowdown", "evaluate", folder / "data.h5", "--folds", "2", "--repeats", "1", "--csv", folder / "rows.csv")
    explained = run_program("slowdown", "explain", folder / "data.h5", "--model", "families", "--folds", "2", "--repeats", "1", "--json")
    (folder / "explained.json").write_text(explained)
    return {"rows": folder / "rows.csv", "explained": folder / "explained.json"}


def test_rows_keep_their_times_and_the_errors_of_each_candidate(written):
    rows = SlowdownRows(written["rows"])
    with open(written["rows"], newline="") as file:
        told = list(csv.DictReader(file))
    assert len(rows) == len(told) == 80
    np.testing.assert_allclose(rows.errors("no_slowdown"),
                               [abs(float(row["alone_s"]) / float(row["overlapped_s"]) - 1) for row in told])
    assert rows.errors("nested_choice").mean() < 0.5 * rows.errors("no_slowdown").mean()
    assert rows.overlaps.sum() == sum(row["overlap_ratio"] == "1" for row in told)


def test_lines_of_the_distribution_end_with_all_rows_and_name_their_mean(written):
    rows = SlowdownRows(written["rows"])
    axes = slowdown.errors(rows).axes[0]
    assert {"nested_choice", "no_slowdown"} <= {line.get_label().split(":")[0] for line in axes.lines}
    for line in axes.lines:
        name, mean = line.get_label().split(": ")
        assert mean == f"{100 * rows.errors(name)[rows.overlaps].mean():.1f} % mean"
        assert line.get_ydata()[-1] == 1 and np.all(np.diff(line.get_xdata()) >= 0)


def test_the_scatter_has_every_row_that_overlaps(written):
    rows = SlowdownRows(written["rows"])
    for axes in slowdown.scatter(rows).axes:
        assert len(axes.lines[1].get_xdata()) == rows.overlaps.sum()


def test_bars_and_curves_are_those_of_the_explanation(written):
    explanation = Explanation(written["explained"])
    told = json.loads(written["explained"].read_text())
    bars = slowdown.importance(explanation).axes[0].patches
    assert [bar.get_width() for bar in bars] == [100 * one["growth"] for one in told["importance"]][::-1]
    moving = [one for one in told["partial_dependence"] if len(set(one["slowdown"])) > 1]
    drawn = slowdown.dependence(explanation).axes
    assert [axes.get_xlabel().split(" ")[0] for axes in drawn] == [one["input"] for one in moving]


def test_pictures_are_light_and_the_same_for_the_same_rows(written, tmp_path):
    rows, explanation = SlowdownRows(written["rows"]), Explanation(written["explained"])
    for draw, source in ((slowdown.errors, rows), (slowdown.scatter, rows), (slowdown.importance, explanation),
                         (slowdown.dependence, explanation)):
        for name in ("a.svg", "b.svg"):
            slowdown.save(draw(source), tmp_path / name)
        assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
        assert 0 < (tmp_path / "a.svg").stat().st_size < 80_000


def command_line(*words):
    return subprocess.run([sys.executable, "-B", "-m", "echo_sweep", "slowdown", *map(str, words)], cwd=ANALYSIS,
                          capture_output=True, text=True)


def test_the_command_draws_both_of_either_file(written, tmp_path):
    for source in written.values():
        done = command_line(source, "-o", tmp_path / "a.svg", tmp_path / "b.svg")
        assert done.returncode == 0, done.stderr
        assert all((tmp_path / name).read_text().startswith("<?xml") for name in ("a.svg", "b.svg"))


def test_other_files_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    (tmp_path / "x.json").write_text('{"a": 1}')
    for name, told in (("x.csv", "slowdown evaluate"), ("x.json", "slowdown explain")):
        done = command_line(tmp_path / name, "-o", tmp_path / "a.svg", tmp_path / "b.svg")
        assert done.returncode == 2 and told in done.stderr
    assert not list(tmp_path.glob("*.svg"))
