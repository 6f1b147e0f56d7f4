"""Reads result files of echo-sweep. Needs h5py and numpy; pandas, xarray and matplotlib add to it.

    import echo_sweep as es
    s = es.open("gpt3.h5")
    s.top(10)                                  # the ten shortest steps
    s.top(3, by="mfu", where={"model": "gpt3-175b", "pp": 8})
    s.frame()                                  # pandas, or a dict of arrays without it
    s.plot.heatmap("tp", "pp")
"""

from .sweep import Sweep


def open(path):  # noqa: A001 - es.open reads as it should
    """The result file at `path`, columns read when asked for."""
    return Sweep(path)


__all__ = ["Sweep", "open"]
