"""Reads result files of echo-sweep. Needs h5py and numpy; pandas, xarray and matplotlib add to it.

    import echo_sweep as es
    s = es.open("gpt3.h5")
    s.top(10)                                  # the ten best configs
    s.top(3, by="mfu", where="tp == 8 and mem_peak < 70 GiB")
    s["8384c9ad"].breakdown()                  # seconds of one step by what they were spent on
    s.plot.heatmap("tp", "pp")
"""

import importlib

__version__ = "0.1.0"  # that of CMakeLists.txt; a test compares them


def open(path, updated=True):  # noqa: A001 - es.open reads as it should
    """The result file at `path`; columns are read when they are asked for. Where `echo-sweep update` wrote it, times, rates and
    errors are those to be expected after the measured runs; with `updated=False` they are the predictions."""
    from .result_file import ResultFile
    from .sweep import Sweep

    return Sweep(ResultFile(path, updated))


def break_even(source):
    """The Surface in the JSON that `echo-sweep break-even --json` printed: its path, its text, or the parsed dict."""
    from .surface import surface_of

    return surface_of(source)


def __getattr__(name):
    """Row and Sweep, and with them h5py, once they are asked for: tracing needs neither."""
    if name == "DamagedFile":
        return importlib.import_module(".checksums", __name__).DamagedFile
    if name in ("Row", "Sweep"):
        return getattr(importlib.import_module(f".{name.lower()}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["DamagedFile", "Row", "Sweep", "__version__", "break_even", "open"]
