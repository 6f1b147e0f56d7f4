"""Who wins where: a cell for each pair of values, its colour and letter the winner, its tone how clear the win is."""

import math
import string

from .style import GREY, LIGHT_GREY, SERIES, new_axes

CLEAR = 0.3  # gaps from here on have the full tone


def letters_of(kinds):
    """A, B, ..., Z, A1, ... as the command prints them."""
    return {kind: string.ascii_uppercase[i % 26] + (str(i // 26) if i >= 26 else "") for i, kind in enumerate(kinds)}


def _place(axis, after, before, place):
    """Where `place` is on an axis whose values stand at 0, 1, 2, ...: by logarithms, as it was interpolated."""
    at = axis["values"].index(after)
    low, high = (axis["numbers"][axis["values"].index(text)] for text in (after, before))
    if low > 0 and high > 0:
        return at + math.log(place / low) / math.log(high / low)
    return at + (place - low) / (high - low)


def _boundary_lines(surface):
    """Where two winners are equally good: xs and ys of a line across each cell."""
    lines = []
    for one in surface.boundaries:
        if one["place"] is None:
            continue
        own, other = (surface.x, surface.y) if one["axis"] == "x" else (surface.y, surface.x)
        at = _place(own, one["after"], one["before"], one["place"])
        across = other["values"].index(one["other"])
        ends = [across - 0.5, across + 0.5]
        lines.append(([at, at], ends) if one["axis"] == "x" else (ends, [at, at]))
    return lines


def surface(found, axes):
    """A picture of a Surface."""
    from matplotlib.patches import Patch, Rectangle

    columns, rows = len(found.x["values"]), len(found.y["values"])
    axes = new_axes(axes, width=4.0 + 0.72 * columns, height=1.6 + 0.45 * rows)
    letters = letters_of(found.kinds)
    colours = {kind: SERIES[i % len(SERIES)] for i, kind in enumerate(found.kinds)}
    for y in range(rows):
        for x in range(columns):
            cell = found.cell(x, y)
            alone = math.isnan(cell.gap)
            tone = 0.75 if alone else 0.2 + 0.55 * min(cell.gap / CLEAR, 1.0)
            face = LIGHT_GREY if cell.winner is None else colours[cell.winner]
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, alpha=tone, edgecolor="white", lw=0.8))
            if cell.is_tie:
                axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, hatch="///", edgecolor="white", lw=0))
            text = "-" if cell.winner is None else letters[cell.winner] + ("" if alone else f" {100 * cell.gap:.0f} %")
            axes.text(x, y, text, ha="center", va="center", fontsize=8)
    for line in _boundary_lines(found):
        axes.plot(*line, color="black", lw=1.6, solid_capstyle="butt")
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(-0.5, rows - 0.5)
    axes.set_xticks(range(columns), found.x["values"], fontsize=8, rotation=30 if columns > 6 else 0)
    axes.set_yticks(range(rows), found.y["values"], fontsize=8)
    axes.set_xlabel(found.x["name"])
    axes.set_ylabel(found.y["name"])
    ways = "less" if found.goal == "min" else "more"
    axes.set_title(f"best by {found.by} ({ways} is better); hatched: a tie", loc="left", fontsize=9, color=GREY)
    shown = found.kinds[:8]
    handles = [Patch(color=colours[kind], alpha=0.75, label=f"{letters[kind]}  {kind}") for kind in shown]
    if len(found.kinds) > len(shown):
        handles.append(Patch(color="white", label=f"and {len(found.kinds) - len(shown)} more"))
    axes.legend(handles=handles, frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return axes
