"""Where does the slowdown of overlapped work decide which layout wins?

    overlap_tax.py two-budgets.h5 design-space.h5 --picture tax.png

A slice holds the feasible rows of a file that differ only in the layout. Its tax is what overlapping costs its winner: the
step over the step in which nothing slows anything else, minus 1. Its loss is what choosing a layout without regard to
slowdown costs; it is zero where the same layout wins.
"""

import argparse
import pathlib
from statistics import median_high

import asking
import echo_sweep as es
from echo_sweep.plots.style import GREY, MARKERS, SERIES, new_axes
from echo_sweep.text import text_table


def slices_of(files):
    """{name of a file: what its slices lose}, of files with at least one slice of two rows."""
    found = {}
    for file in files:
        one = es.open(file).without_slowdown()
        if one.slices:
            found[pathlib.Path(file).stem] = one
    return found


def table(found):
    lines = [{"file": name, "slices": one.slices, "tax_median": f"{median_high(one.winners['tax']):.1%}",
              "tax_largest": f"{max(one.winners['tax']):.1%}", "another_wins": one.another_wins,
              "loss_median": f"{one.median_loss:.1%}" if one.another_wins else "-",
              "loss_largest": f"{one.largest_loss:.1%}" if one.another_wins else "-"} for name, one in found.items()]
    return text_table({name: [line[name] for line in lines] for name in lines[0]}, {})


def picture(found, path):
    axes = new_axes(None, 7.5, 4.2)
    for i, (name, one) in enumerate(found.items()):
        marker, colour = MARKERS[(i + i // len(SERIES)) % len(MARKERS)], SERIES[i % len(SERIES)]
        axes.plot([100 * x for x in one.winners["tax"]], [100 * x for x in one.winners["loss"]], marker, ms=6, color=colour,
                  alpha=0.7, mew=0, label=f"{name} ({one.another_wins} of {one.slices} change)")
    axes.set_xlabel("slowdown tax of the winner, % of its step without slowdown")
    axes.set_ylabel("loss of ignoring slowdown, % of the step")
    axes.axhline(0, color=GREY, lw=0.8)
    axes.legend(fontsize=8, frameon=False)
    asking.save(axes, path)
    return axes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="result files of sweeps")
    parser.add_argument("--picture", metavar="FILE.png", help="save a picture there")
    chosen = parser.parse_args()
    found = slices_of(chosen.files)
    if not found:
        raise ValueError("no file has two feasible rows that differ only in the layout")
    print(table(found))
    if chosen.picture:
        picture(found, chosen.picture)


if __name__ == "__main__":
    asking.answer(main)
