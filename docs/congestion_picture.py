"""Draws the step of every layout on every network, over that on InfiniBand without oversubscription.

usage: congestion_picture.py FILE.h5 OUT.svg          (ECHO_SWEEP: the program, as for tables.py)
"""

import pathlib
import statistics
import sys

from tables import networks_of

WIDTH, LINE, LEFT, RIGHT, TOP, BOTTOM = 720, 20, 190, 20, 34, 44
COLOURS = {1.0: "#1e6fb3", 2.0: "#c98a1b", 4.0: "#b3541e"}


def main(path, out):
    networks = networks_of(path)
    reference = networks["InfiniBand"][1.0]
    rows = [(network, uplinks, steps) for network, by_uplinks in networks.items()
            for uplinks, steps in sorted(by_uplinks.items())]
    ratios = [sorted(steps[layout] / reference[layout] for layout in steps if layout in reference) for *_, steps in rows]
    high = max(max(values) for values in ratios)
    low = min(min(values) for values in ratios)
    span = max(high - low, 1e-9)
    height = TOP + LINE * len(rows) + BOTTOM
    place = lambda ratio: LEFT + (ratio - low) / span * (WIDTH - LEFT - RIGHT)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             f'<text x="{LEFT}" y="16" font-size="12">step of each layout, over its step on InfiniBand with 1:1 uplinks</text>']
    for i, ((network, uplinks, _), values) in enumerate(zip(rows, ratios)):
        y = TOP + LINE * i + LINE / 2
        colour = COLOURS.get(uplinks, "#555")
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{network} {uplinks:g}:1</text>')
        parts += [f'<circle cx="{place(value):.1f}" cy="{y:.1f}" r="3" fill="{colour}" fill-opacity="0.35"/>' for value in values]
        middle = place(statistics.median(values))
        parts.append(f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{y - 7:.1f}" y2="{y + 7:.1f}" stroke="{colour}" stroke-width="2"/>')
    for tick in range(5):
        ratio = low + span * tick / 4
        parts.append(f'<text x="{place(ratio):.1f}" y="{height - 22}" text-anchor="middle">{ratio:.2f}</text>')
    parts.append(f'<text x="{LEFT}" y="{height - 6}">a dot is a layout, a line the median of all</text></svg>')
    pathlib.Path(out).write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
