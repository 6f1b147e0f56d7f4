"""Measured training steps beside their predictions."""

import numpy as np

from .kernels import save  # noqa: F401  the same way to a file
from .style import ACCENT, GREY, LIGHT_GREY, MARKERS, SERIES, new_axes

WIDEST = 1.0  # octaves that a prediction may be off before it is drawn at the edge
SHOWN = len(SERIES) - 1  # groups with a colour of their own; the others share grey


def scatter(rows, by="stratum"):
    """Predicted over measured step time, a colour for each of the largest groups."""
    _refuse_nothing(rows)
    axes = new_axes(None, 6.4, 4.4)
    groups = list(rows.groups(by).items())
    for i, (name, part) in enumerate(groups[:SHOWN]):
        axes.plot(rows.measured[part], rows.predicted[part], MARKERS[i], ms=3, lw=0, color=SERIES[i], alpha=0.7,
                  markeredgewidth=0, label=f"{name} ({len(part)})", zorder=2 + i)
    if groups[SHOWN:]:
        rest = np.concatenate([part for _, part in groups[SHOWN:]])
        axes.plot(rows.measured[rest], rows.predicted[rest], ".", ms=3, lw=0, color=LIGHT_GREY,
                  label=f"{len(groups) - SHOWN} more ({len(rest)})", zorder=1)
    both = np.concatenate([rows.measured, rows.predicted])
    span = np.array([both.min() / 1.2, both.max() * 1.2])
    axes.plot(span, span, lw=0.8, color=GREY)
    for off in (0.8, 1.25):
        axes.plot(span, off * span, lw=0.6, ls=":", color=GREY)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(span)
    axes.set_ylim(span)
    axes.set_xlabel("measured step [s]")
    axes.set_ylabel("predicted step [s]")
    median, mean = rows.errors()
    axes.set_title(f"{len(rows)} runs: error {100 * median:.1f} % median, {100 * mean:.1f} % mean; dotted: 25 % off",
                   loc="left", fontsize=8.5)
    axes.legend(fontsize=7.5, frameon=False, loc="upper left")
    return axes.figure


def residuals(rows, by="stratum"):
    """Predicted / measured, a strip and a box for each group: median, quartiles, tenth to ninetieth percentile."""
    _refuse_nothing(rows)
    groups = sorted(rows.groups(by).items(), reverse=True)  # the first name on top
    axes = new_axes(None, 6.4, 0.9 + 0.3 * len(groups))
    for height, (name, part) in enumerate(groups):
        off = np.clip(np.log2(rows.ratio[part]), -WIDEST, WIDEST)
        # Dots are spread by the golden ratio: evenly, and the same at every drawing.
        spread = 0.3 * (np.modf(0.618034 * np.arange(len(part)))[0] * 2 - 1)
        axes.plot(off, height + spread, ".", ms=2, color=LIGHT_GREY, zorder=1)
        low, first, middle, third, high = np.quantile(off, (0.1, 0.25, 0.5, 0.75, 0.9))
        axes.plot([low, high], [height, height], lw=0.9, color=SERIES[0], zorder=2)
        axes.plot([first, third], [height, height], lw=5, solid_capstyle="butt", color=SERIES[0], zorder=2)
        axes.plot(middle, height, "o", ms=4, color=ACCENT, zorder=3)
    axes.axvline(0, lw=0.8, color=GREY)
    axes.set_yticks(range(len(groups)), [f"{name} ({len(part)})" for name, part in groups], fontsize=8)
    ratios = np.array([0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 2.0])
    axes.set_xticks(np.log2(ratios), [f"{ratio:g}" for ratio in ratios], fontsize=8)
    axes.set_xlim(-1.05 * WIDEST, 1.05 * WIDEST)
    axes.set_xlabel("predicted / measured step; at the edge: off by a factor of 2 or more", fontsize=8.5)
    return axes.figure


def _refuse_nothing(rows):
    if len(rows) == 0:
        raise ValueError("no scored row to draw")
