"""Pictures show the numbers they are about, with units."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import echo_sweep as es
from echo_sweep.errors import RowErrors
from echo_sweep.plots.style import PARTS, SERIES


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_a_heatmap_holds_the_cube_and_says_what_lacks(synthetic):
    axes = es.open(synthetic()).plot.heatmap("tp", "pp", "step_time")
    grid = np.ma.filled(axes.images[0].get_array(), np.nan)  # [pp][tp]
    np.testing.assert_array_equal(grid, [[6, 5, 4], [3, 2, np.nan]])
    texts = [text.get_text() for text in axes.texts]
    assert "+8 GiB" in texts and "2" in texts
    assert "[s]" in axes.get_title(loc="left")


def test_breakdown_bars_end_at_the_step_time(result):
    sweep = es.open(result)
    axes = sweep.plot.breakdown(top=4)
    best = sweep.best(4)
    ends = np.zeros(4)
    for bar in axes.patches:
        ends[round(bar.get_y() + bar.get_height() / 2)] += bar.get_width()
    np.testing.assert_allclose(ends, best.column("step_time"), rtol=1e-9)
    assert axes.get_xlabel().endswith("[s]")


def test_a_front_is_drawn_through_its_rows(result):
    sweep = es.open(result)
    axes = sweep.plot.pareto("mem_peak", "tokens_per_s")
    rows, standing, _, _ = sweep.robust_front(["mem_peak", "tokens_per_s"])
    front = rows.view(standing != "unproven")
    line = axes.lines[1]
    np.testing.assert_allclose(line.get_xdata(), front.column("mem_peak") / 2**30)
    np.testing.assert_allclose(line.get_ydata(), front.column("tokens_per_s"))
    labels = [line.get_label() for line in axes.lines]
    for name in ("robust", "tie", "unproven"):
        assert any(label.startswith(f"{(standing == name).sum()} {name}") for label in labels), labels
    bars = RowErrors.of(front).band("1/step_time")
    ends = sorted(segment[1][1] for segment in axes.collections[1].get_segments())
    np.testing.assert_allclose(ends, sorted(front.column("tokens_per_s") * np.exp(bars)))
    assert "[GiB], less is better" in axes.get_xlabel() and "more is better" in axes.get_ylabel()


def test_scaling_lines_are_the_best_of_each_size(result):
    sweep = es.open(result).where("model == 'llama2-7b'")
    axes = sweep.plot.scaling("gpus", "tokens_per_s", per="cluster")
    drawn = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    for cluster in ("dgx-h100-ndr400", "dgx-a100-hdr200"):
        rows = sweep.where({"cluster": cluster}).ranked
        assert drawn[cluster] == [rows.where({"gpus": size}).column("tokens_per_s").max() for size in (16, 32)]


def test_parallel_coordinates_draw_every_feasible_config_and_the_best_ones(result):
    sweep = es.open(result)
    axes = sweep.plot.parallel(top=7)
    lines = [line for line in axes.lines if len(line.get_xdata()) == len(sweep.axes()) + 1]
    assert len(lines) == len(sweep.ranked) + 7
    assert sum(line.get_color() == "#0072B2" for line in lines) == 7


def test_nothing_to_draw_is_said(synthetic):
    with pytest.raises(ValueError, match="no feasible config"):
        es.open(synthetic()).where("status == 'infeasible'").plot.breakdown()


def seen(colour, deficiency):
    """Linear RGB as someone lacking one kind of cone sees it (Machado, Oliveira and Fernandes 2009, severity 1)."""
    matrices = {
        "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    }
    rgb = np.array([int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.clip(np.array(matrices[deficiency]) @ linear, 0, 1)


def lab(linear):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.where(xyz / [0.9505, 1, 1.089] > 0.008856, np.cbrt(xyz / [0.9505, 1, 1.089]), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("deficiency", ["protan", "deutan"])
def test_colours_differ_for_every_eye(deficiency):
    neighbours = list(zip(list(PARTS.values()), list(PARTS.values())[1:])) + [
        (a, b) for i, a in enumerate(SERIES) for b in SERIES[:i]]
    for a, b in neighbours:  # parts that touch in a bar; all pairs of lines
        distance = np.linalg.norm(lab(seen(a, deficiency)) - lab(seen(b, deficiency)))
        assert distance > 10, (a, b, distance)  # of CIELAB 1976; 2.3 is just seen
