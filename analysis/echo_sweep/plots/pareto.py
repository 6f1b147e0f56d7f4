"""Two metrics against each other, and the configs that no other beats in both: surely, perhaps, or perhaps not.

Error bars are the 80 % bands of single points. Two points share most of their errors, so that bars may overlap where one
surely beats the other: the markers say what is sure.
"""

import numpy as np

from ..errors import RowErrors
from .style import ACCENT, GREY, LIGHT_GREY, labels_of, new_axes, scaled

# standing: marker, face, size, what it says
STANDINGS = {"robust": ("o", ACCENT, 6, "robust: no other beats it with 1 in 10"),
             "tie": ("o", "white", 6, "tie: another may beat it"),
             "unproven": ("x", GREY, 4, "unproven: none surely beats it")}


def _with_standing(sweep, metrics):
    """(rows, standing): all on the front, of standing "", where the file holds no errors."""
    try:
        rows, standing, _, _ = sweep.robust_front(metrics)
        return rows, standing
    except ValueError:
        rows = sweep.front(metrics)
        return rows, np.full(len(rows), "", dtype=object)


def _bars(rows, name, places):
    """What errorbar() takes, below and above each value."""
    band = RowErrors.of(rows).band(rows.about(name).error_follows)
    return places * np.array([1.0 - np.exp(-band), np.exp(band) - 1.0])


def pareto(sweep, x, y, axes):
    x, y = (sweep.ranking_metric() if metric == "auto" else metric for metric in (x, y))
    axes = new_axes(axes)
    feasible, (rows, standing) = sweep.feasible, _with_standing(sweep, [x, y])
    places, found = [], []
    for name, set_label in ((x, axes.set_xlabel), (y, axes.set_ylabel)):
        everything, label = scaled(sweep.about(name), feasible.column(name).astype(float))
        position = dict(zip(feasible.ids(), everything))
        places.append(everything)
        found.append(np.array([position[row_id] for row_id in rows.ids()]))
        goal = sweep.goal(name)
        set_label(f"{label}, {'less' if goal == 'min' else 'more'} is better")
    axes.plot(*places, ".", ms=3, color=LIGHT_GREY, rasterized=True, label=f"{len(feasible)} feasible configs")
    on_front = standing != "unproven"
    front, on = rows.view(on_front), [values[on_front] for values in found]
    axes.step(*on, where="post", color=ACCENT, lw=1.2)  # from the best x on
    if (standing == "").all():
        axes.plot(*on, "o", ms=5, color=ACCENT, label=f"{len(front)} that no other beats")
    else:
        bars = [_bars(front, name, values) for name, values in zip((x, y), on)]
        axes.errorbar(*on, xerr=bars[0], yerr=bars[1], fmt="none", ecolor=ACCENT, elinewidth=0.7, alpha=0.5)
        for name, (marker, face, size, meaning) in STANDINGS.items():
            which = standing == name
            axes.plot(*(values[which] for values in found), marker, ms=size, mfc=face, ls="",
                      mec=GREY if name == "unproven" else ACCENT, label=f"{which.sum()} {meaning}")
    names = [name for name in front.varying() if name in front.axes() and not sweep.about(name).words]
    labels = labels_of(front, names)
    for i in {0, len(front) - 1} if len(front) else ():
        axes.annotate(labels[i], [values[i] for values in on], xytext=(6, -10), textcoords="offset points", fontsize=8)
    axes.legend(frameon=False, fontsize=9)
    return axes
