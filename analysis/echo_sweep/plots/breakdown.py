"""Where the step time of some configs goes, a bar each."""

import numpy as np

from .style import GREY, PARTS, labels_of, new_axes, scaled

LEAST_SHARE = 0.005  # of the longest step: parts below it in every bar are drawn with "other"


def _worth_showing(parts):
    """{part: seconds[row]} without what nobody would see, which goes to `other`."""
    total = np.sum(list(parts.values()), axis=0)
    least = LEAST_SHARE * total.max()
    kept = {part: values for part, values in parts.items() if part != "other" and values.max() >= least}
    rest = total - np.sum(list(kept.values()), axis=0)
    return {**kept, "other": rest} if rest.max() > 0 else kept


def breakdown(rows, axes):
    axes = new_axes(axes, 8.0, 1.5 + 0.36 * len(rows))
    if len(rows) == 0:
        raise ValueError("no feasible config to draw")
    parts = _worth_showing(rows.breakdown())
    seconds = np.sum(list(parts.values()), axis=0)
    in_unit, axis_label = scaled(rows.about("step_time"), seconds)
    divisor = seconds.max() / in_unit.max()
    names = sorted(rows.axes() if rows.varying() else [], key=lambda name: name == "recompute")  # long, mostly blank
    labels = labels_of(rows, names) if names else [key[:8] for key in rows.ids()]
    left = np.zeros(len(rows))
    for part, values in parts.items():
        axes.barh(range(len(rows)), values / divisor, left=left, height=0.7, label=part, edgecolor="white",
                  linewidth=0.6, color=PARTS.get(part, GREY), hatch="////" if part == "slowdown" else None)
        left = left + values / divisor
    for i, total in enumerate(left):
        axes.text(total + 0.008 * left.max(), i, f"{total:#.4g}".rstrip("."), va="center", fontsize=9)
    axes.set_yticks(range(len(rows)), labels, fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.11 * left.max())
    axes.set_xlabel(axis_label)
    a_line = len(parts) if len(parts) <= 5 else (len(parts) + 1) // 2
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncol=a_line, frameon=False, fontsize=9, handlelength=1.2,
                columnspacing=1.2)
    return axes
