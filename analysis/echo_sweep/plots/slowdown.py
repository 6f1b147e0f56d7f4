"""Measured overlaps beside what models that had not seen them predict, and what those predictions depend on."""

import numpy as np

from .kernels import save  # noqa: F401  the same way to a file
from .style import ACCENT, GREY, LIGHT_GREY, SERIES, new_axes

# What is drawn, if it is there: the choice, its best parts, and what they have to beat.
DRAWN = ("nested_choice", "families", "trees", "mlp", "median_by_kernel_name", "no_slowdown", "echo_settings")
LEAST, MOST = 1e-3, 3.0  # errors beyond stand at the edge


def errors(rows, axes=None):
    """Share of the rows that overlap with an error of at most x, a line for each candidate."""
    part = _overlapping(rows)
    axes = new_axes(axes, 6.0, 3.6)
    names = [name for name in DRAWN if name in rows.predicted]
    share = np.arange(1, part.sum() + 1) / part.sum()
    for i, name in enumerate(names):
        error = np.sort(np.clip(rows.errors(name)[part], LEAST, MOST))
        kept = np.unique(np.linspace(0, len(error) - 1, 100).astype(int))  # a light file
        axes.step(error[kept], share[kept], where="post", lw=2 if i == 0 else 1,
                  color=SERIES[i % len(SERIES)], ls="-" if i < 4 else "--",
                  label=f"{name}: {100 * rows.errors(name)[part].mean():.1f} % mean")
    axes.set_xscale("log")
    ticks = (0.001, 0.01, 0.05, 0.15, 0.5, 3)
    axes.set_xticks(ticks, [f"{100 * tick:g} %" for tick in ticks], fontsize=8)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("error of the overlapped time", fontsize=9)
    axes.set_ylabel(f"share of {part.sum()} rows", fontsize=9)
    axes.set_ylim(0, 1)
    axes.legend(fontsize=7.5, frameon=False, loc="upper left")
    return axes.figure


def scatter(rows):
    """Predicted over measured stretch (overlapped / alone): no slowdown, the choice of the folds."""
    import matplotlib.pyplot as plt

    part = _overlapping(rows)
    measured = rows.overlapped[part] / rows.alone[part]
    names = [name for name in ("median_by_kernel_name", "nested_choice") if name in rows.predicted]
    figure, grid = plt.subplots(1, len(names), figsize=(0.6 + 2.9 * len(names), 3.1), squeeze=False, sharey=True,
                                layout="constrained")
    span = (0.8, 1.1 * max(measured.max(), *(np.max(rows.predicted[name][part] / rows.alone[part]) for name in names)))
    for axes, name in zip(grid.flat, names):
        new_axes(axes)
        axes.plot(span, span, lw=0.8, color=ACCENT)
        axes.plot(measured, rows.predicted[name][part] / rows.alone[part], "o", ms=2, alpha=0.4, mew=0, color=SERIES[0],
                  rasterized=True)
        axes.set(xscale="log", yscale="log", xlim=span, ylim=span)
        ticks = [tick for tick in (1, 2, 4, 8, 16, 32) if tick <= span[1]]
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks(ticks, [f"{tick}x" for tick in ticks], fontsize=8)
            axis.set_ticks([], minor=True)
        axes.set_xlabel("measured: overlapped / alone", fontsize=9)
        axes.set_title(f"{name}: error {100 * rows.errors(name)[part].mean():.1f} %", loc="left", fontsize=8.5)
    grid[0][0].set_ylabel("predicted", fontsize=9)
    return figure


def importance(explanation, axes=None):
    """Bars: how much the error of held-out rows grows when one input is dealt out at random; and the trees' gain."""
    if not explanation.importance:
        raise ValueError("no input is known of these rows")
    shown = explanation.importance[::-1]
    axes = new_axes(axes, 5.4, 0.9 + 0.24 * len(shown))
    axes.barh([name for name, _, _ in shown], [100 * growth for _, growth, _ in shown],
              xerr=[100 * spread for _, _, spread in shown], color=SERIES[0], error_kw={"lw": 0.8, "ecolor": GREY})
    axes.axvline(0, lw=0.8, color=GREY)
    axes.tick_params(labelsize=8)
    gain = dict(explanation.gain)
    for place, (name, _, _) in enumerate(shown):
        share = gain.get(name, gain.get(f"log2_{name}"))
        if share:
            axes.annotate(f"gain {100 * share:.0f} %", (1, place), xycoords=("axes fraction", "data"), fontsize=7,
                          ha="right", va="center", color=GREY)
    axes.set_xlabel("error grows by, in % of the time", fontsize=9)
    axes.set_title(f"{explanation.model}, on {explanation.judged_on}", loc="left", fontsize=8.5)
    return axes.figure


def dependence(explanation):
    """Mean predicted slowdown over each input that moves it."""
    import matplotlib.pyplot as plt

    moving = [curve for curve in explanation.curves if np.ptp(curve[3]) > 0]
    if not moving:
        raise ValueError("no number among the inputs moves the predictions")
    columns = min(3, len(moving))
    lines = -(-len(moving) // columns)
    figure, grid = plt.subplots(lines, columns, figsize=(0.6 + 2.3 * columns, 0.4 + 1.7 * lines), squeeze=False,
                                sharey=True, layout="constrained")
    for axes in grid.flat[len(moving):]:
        axes.remove()
    for axes, (name, units, at, slowdown) in zip(grid.flat, moving):
        new_axes(axes)
        axes.axhline(0, lw=0.8, color=LIGHT_GREY)
        axes.plot(at, slowdown, marker="o", ms=2, lw=1, color=SERIES[0])
        if units and at[0] > 0 and at[-1] / at[0] > 50:
            axes.set_xscale("log")
        axes.tick_params(labelsize=8)
        axes.set_xlabel(f"{name} [{units}]" if units else name, fontsize=8.5)
    for line in grid:
        line[0].set_ylabel("slowdown", fontsize=8.5)
    return figure


def _overlapping(rows):
    part = rows.overlaps
    if not part.any():
        raise ValueError("no row overlaps with communication")
    return part
