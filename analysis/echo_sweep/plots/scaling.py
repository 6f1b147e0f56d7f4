"""The best of a metric at each number of GPUs."""

import numpy as np

from .style import GREY, MARKERS, SERIES, new_axes, scaled, use_plain_log, use_values_as_ticks


def best_along(sweep, x, metric):
    """(x, best metric) at each x of the feasible rows."""
    best = sweep.best(1, by=metric, per=x)
    order = np.argsort(best.column(x))
    return best.column(x)[order], best.column(metric).astype(float)[order]


def scaling(sweep, x, metric, per, ideal, axes):
    axes = new_axes(axes)
    groups = [(None, sweep)] if per is None else [(value, sweep.where({per: value}))
                                                   for value in dict.fromkeys(sweep.column(per))]
    lines = {name: best_along(rows, x, metric) for name, rows in groups}
    everything = np.concatenate([values for _, values in lines.values()])
    shown, label = scaled(sweep.about(metric), everything)
    divisor = everything[0] / shown[0] if len(everything) else 1.0
    grows = sweep.goal(metric) == "max"
    for i, (name, (places, values)) in enumerate(lines.items()):
        colour, marker = SERIES[i % len(SERIES)], MARKERS[i % len(MARKERS)]
        axes.plot(places, values / divisor, marker=marker, ms=5, lw=1.5, color=colour, label=name)
        if ideal and len(places):
            ratio = places / places[0]
            axes.plot(places, values[0] / divisor * (ratio if grows else 1 / ratio), "--", lw=0.9, color=colour)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    use_plain_log(axes.yaxis)
    use_values_as_ticks(axes.xaxis, np.unique(np.concatenate([places for places, _ in lines.values()])))
    axes.set_xlabel(sweep.about(x).long_name)
    axes.set_ylabel("best " + label)
    if ideal:
        axes.plot([], [], "--", lw=0.9, color=GREY, label="ideal: first point scaled")
    axes.legend(frameon=False, fontsize=9)
    return axes
