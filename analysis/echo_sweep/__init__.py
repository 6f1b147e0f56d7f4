"""Reads result files of echo-sweep. Needs h5py and numpy; pandas, xarray and matplotlib add to it.

    import echo_sweep as es
    s = es.open("gpt3.h5")
    s.top(10)                                  # the ten best configs
    s.top(3, by="mfu", where="tp == 8 and mem_peak < 70 GiB")
    s["c203de07"].breakdown()                  # seconds of one step by what they were spent on
    s.plot.heatmap("tp", "pp")
"""

from .result_file import ResultFile
from .row import Row
from .sweep import Sweep


def open(path):  # noqa: A001 - es.open reads as it should
    """The result file at `path`; columns are read when they are asked for."""
    return Sweep(ResultFile(path))


__all__ = ["Row", "Sweep", "open"]
