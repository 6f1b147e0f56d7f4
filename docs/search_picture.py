"""Draws how a search for the best closes in: the best point found and the best possible one, over the sets looked at.

usage: search_picture.py FILE.h5 OUT.svg
"""

import math
import pathlib
import sys

import h5py

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 90, 16, 28, 48
COLOURS = {"best possible": "#b3541e", "best found": "#1e6fb3"}


def steps(x, y, place):
    """A path that keeps each value until the next."""
    points = [place(x[0], y[0])]
    for i in range(1, len(x)):
        points += [place(x[i], y[i - 1]), place(x[i], y[i])]
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in points)


def main(path, out):
    with h5py.File(path) as file:
        search = file["search"]
        metric, goal = search.attrs["objectives"].split()[0].split(":")
        sign = 1.0 if goal == "min" else -1.0
        best = [float(sign * value) for value in search["moments/best"][:]]
        possible = [float(sign * value) for value in search["moments/possible"][:]]
        x = list(map(int, search["moments/looked_at"][:]))
        simulated = int((search["sets/fate"][:] == 5).sum())
        kept = f"{int(search.attrs['kept']):,}".replace(",", " ")
    last = x[-1]
    known = [i for i, value in enumerate(best) if math.isfinite(value)]
    lines = {"best possible": (x, possible), "best found": (x[known[0]:], best[known[0]:])}
    shown = possible + best[known[0]:]
    low, high = min(shown), max(shown)
    low, high = low - 0.08 * (high - low), high + 0.08 * (high - low)

    def place(a, b):
        return (LEFT + (WIDTH - LEFT - RIGHT) * a / max(1, last), TOP + (HEIGHT - TOP - BOTTOM) * (high - b) / (high - low))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for i in range(5):
        value = low + (high - low) * i / 4
        y = place(0, value)[1]
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.4g}</text>')
        a = place(last * i / 4, low)[0]
        parts.append(f'<text x="{a:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{last * i // 4}</text>')
    for number, (name, (across, values)) in enumerate(lines.items()):
        colour = COLOURS[name]
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{steps(across, values, place)}"/>'
                     f'<text x="{WIDTH - RIGHT - 110}" y="{TOP + 34 + 18 * number}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{LEFT}" y="16">{metric}</text>'
                 f'<text x="{(WIDTH + LEFT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">sets looked at, of {kept} combinations; {simulated} points simulated'
                 "</text></svg>\n")
    pathlib.Path(out).write_text("\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
