"""Parallel coordinates: which values the best configs share."""

import textwrap

import numpy as np

from .style import LIGHT_GREY, new_axes, scaled

MOST_LINES = 2000  # in the background; more of them only make it grey


def _heights(sweep, name, rows):
    """Height in 0..1 of each row on the axis of an input, and (height, label) of its ticks."""
    column = sweep.about(name)
    values = sweep.column(name)
    ticks = [word for word in column.words.values() if word in set(values)] if column.words else list(np.unique(values))
    place = {value: i / max(1, len(ticks) - 1) if len(ticks) > 1 else 0.5 for i, value in enumerate(ticks)}
    return np.array([place[value] for value in rows.column(name)]), [(place[value], value) for value in ticks]


def parallel(sweep, inputs, metric, top, axes):
    metric = sweep.ranking_metric() if metric == "auto" else metric
    ranked = sweep.best(by=metric)
    names = list(inputs) if inputs is not None else sweep.axes()
    axes = new_axes(axes, 1.3 * (len(names) + 1) + 1.0, 3.8)
    values, label = scaled(sweep.about(metric), ranked.column(metric).astype(float))
    span = values.max() - values.min() if len(values) else 0.0
    heights, ticks = zip(*(_heights(sweep, name, ranked) for name in names))
    lines = np.column_stack([*heights, (values - values.min()) / span if span else np.full(len(values), 0.5)])
    spread = np.random.default_rng(0).uniform(-0.02, 0.02, lines.shape)  # so that equal lines do not hide each other
    spread[:, -1] = 0.0
    places = np.arange(len(names) + 1)
    background = np.linspace(0, len(lines) - 1, min(MOST_LINES, len(lines))).astype(int) if len(lines) else []
    axes.plot(places, (lines + spread)[background].T, color=LIGHT_GREY, lw=0.4, alpha=0.5, rasterized=True)
    axes.plot(places, (lines + spread)[:top].T, color="#0072B2", lw=1.4, alpha=0.8)
    for i, marks in enumerate(ticks):
        axes.axvline(i, color="#888888", lw=0.8)
        for height, value in marks:
            axes.text(i - 0.05, height, value, ha="right", va="center", fontsize=8,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8})
    axes.axvline(len(names), color="#888888", lw=0.8)
    for share in np.linspace(0, 1, 5):
        axes.text(len(names) + 0.05, share, f"{values.min() + share * span:.3g}", va="center", fontsize=8)
    axes.set_xticks(places, [*(textwrap.fill(name.replace("_", " "), 12) for name in names), textwrap.fill(label, 18)],
                    fontsize=9)
    axes.set_yticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(f"{len(ranked)} feasible configs, the {min(top, len(ranked))} best in blue", loc="left", fontsize=11)
    return axes
