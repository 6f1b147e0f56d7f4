"""A metric over a few inputs, as a dense array."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cube:
    """`values[i, j, ...]` is the metric at axes[first][i], axes[second][j], ...; NaN where no config has a value.

    `runs` and `feasible` count the configs of each cell, so that "never tried" (0 runs) and "does not fit" differ.
    """
    metric: str
    axes: dict
    values: np.ndarray
    runs: np.ndarray
    feasible: np.ndarray

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)

    def xarray(self):
        import xarray

        return xarray.DataArray(self.values, dims=list(self.axes), coords=self.axes, name=self.metric)


def reductions(goal):
    named = {"min": np.min, "max": np.max, "mean": np.mean, "median": np.median}
    if goal:
        named["best"] = named[goal]
    return named


def cube_of(sweep, metric, axes, reduce):
    """Contract: `axes` are columns of `sweep`. Only feasible rows give values, and the best of a cell is one that surely
    enough fits, as in rankings."""
    reducers = reductions(sweep.about(metric).goal)
    if reduce not in reducers:
        raise ValueError(f"reduce={reduce!r} is not one of {', '.join(reducers)}")
    positions, labels = [], {}
    for name in axes:
        codes = sweep.column(name)
        order = sweep.about(name).words.values()  # coded columns keep the order of their words
        kept = [word for word in order if word in set(codes)] if order else np.unique(codes)
        labels[name] = np.asarray(kept)
        place = {value: i for i, value in enumerate(labels[name])}
        positions.append(np.array([place[value] for value in codes], dtype=np.int64))
    shape = tuple(len(values) for values in labels.values())
    cells = np.ravel_multi_index(positions, shape) if len(sweep) else np.zeros(0, dtype=np.int64)
    ok = sweep.column("status") == "ok"
    values = sweep.column(metric).astype(float)
    dense = np.full(int(np.prod(shape)), np.nan)
    used = np.flatnonzero((ok & sweep.fits() if reduce == "best" else ok) & ~np.isnan(values))
    used = used[np.argsort(cells[used], kind="stable")]
    found, starts = np.unique(cells[used], return_index=True)
    for cell, group in zip(found, np.split(values[used], starts[1:])):
        dense[cell] = reducers[reduce](group)
    count = [np.bincount(which, minlength=len(dense)).reshape(shape) for which in (cells, cells[ok])]
    return Cube(metric, labels, dense.reshape(shape), *count)
