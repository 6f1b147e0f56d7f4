"""Draws how a search for the best closes in: the best point found and the best possible one, over the points simulated.

usage: search_picture.py FILE.h5 OUT.svg
"""

import sys

import h5py
import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "echo-sweep"
import matplotlib.pyplot as plt  # noqa: E402


def main(path, out):
    with h5py.File(path) as file:
        search = file["search"]
        metric, goal = search.attrs["objectives"].split()[0].split(":")
        sign = 1.0 if goal == "min" else -1.0
        simulated = [0, *search["moments/simulated"][:]]
        best = sign * search["moments/best"][:]
        possible = sign * search["moments/possible"][:]
        fates = search["sets/fate"][:]
        last = int((fates == 5).sum())
        kept = int(search.attrs["kept"])
    x = [*simulated[1:], last]
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    axes.step(x, [*best, best[-1]], where="post", label="best found")
    axes.step(x, [*possible, best[-1]], where="post", label="best possible")
    axes.set_xlabel(f"points simulated, of {kept:,} combinations".replace(",", " "))
    axes.set_ylabel(metric)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
