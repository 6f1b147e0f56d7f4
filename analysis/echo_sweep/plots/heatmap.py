"""The metric over two inputs."""

import numpy as np

from ..quantity import shown
from .style import HATCH_GREY, new_axes, scaled


def _lack(rows):
    """What the closest config of a cell without ranked ones lacks."""
    doubtful = rows.doubtful
    if len(doubtful):
        return f"{100 * doubtful.column('fit_chance').max():.0f} % sure"
    margins = rows.column("reason_margin")
    if np.isnan(margins).all() and "limit_excess" in rows.names():
        excess = rows.column("limit_excess")
        if not np.isnan(excess).all():
            closest = int(np.nanargmin(excess))
            return f"{rows.column('limit')[closest]} +{100 * excess[closest]:.3g} %"
    if np.isnan(margins).all():
        reasons, counts = np.unique(rows.column("reason").astype(str), return_counts=True)
        return str(reasons[np.argmax(counts)])
    return "+" + shown(float(np.nanmin(margins)), rows.about("reason_margin").units, digits=3)


def _say_why_not(axes, sweep, cube, i, j):
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor="#f4f4f4", edgecolor="#dcdcdc", hatch="////", lw=0))
    (y, ys), (x, xs) = cube.axes.items()
    cell = sweep.view((sweep.column(x) == xs[j]) & (sweep.column(y) == ys[i]))
    axes.text(j, i, _lack(cell), ha="center", va="center", fontsize=7, color="#444444",
              bbox={"facecolor": "#f4f4f4", "edgecolor": "none", "pad": 0.8})


def heatmap(sweep, x, y, metric, reduce, axes):
    metric = sweep.ranking_metric() if metric == "auto" else metric
    column = sweep.about(metric)
    cube = sweep.cube(metric, [y, x], reduce=reduce)
    ys, xs = cube.axes[y], cube.axes[x]
    axes = new_axes(axes, max(5.0, 1.6 + 0.85 * len(xs)), 1.6 + 0.31 * len(ys))
    values, label = scaled(column, cube.values)
    colours = "viridis" if column.goal == "max" else "viridis_r"  # the better, the brighter
    image = axes.imshow(np.ma.masked_invalid(values), cmap=colours, origin="lower", aspect="auto")
    finite = values[np.isfinite(values)]
    best = (np.max if column.goal == "max" else np.min)(finite) if len(finite) else np.nan
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            axes.text(j, i, f"{value:.3g}", ha="center", va="center", fontsize=9, color="white" if dark else "black",
                      fontweight="bold" if value == best else "normal")
        elif cube.runs[i, j]:
            _say_why_not(axes, sweep, cube, i, j)
    axes.set_xticks(range(len(xs)), xs)
    axes.set_yticks(range(len(ys)), ys)
    axes.tick_params(length=0)
    notes = {"hatched: does not surely fit, and what the closest config lacks": ((cube.runs > 0) & np.isnan(values)).any(),
             "blank: not in the sweep": (cube.runs == 0).any()}
    axes.set_xlabel(sweep.about(x).long_name)
    axes.annotate("   ".join(note for note, occurs in notes.items() if occurs), (0, 1), xytext=(0, 4),
                  xycoords="axes fraction", textcoords="offset points", fontsize=8, color="#444444")
    axes.set_ylabel(sweep.about(y).long_name)
    axes.set_title(f"{'Best' if reduce == 'best' else reduce.capitalize()} {label}", loc="left", fontsize=11, pad=18)
    for spine in axes.spines.values():
        spine.set_color(HATCH_GREY)
    return axes
