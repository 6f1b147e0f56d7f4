"""What measured runs say of every row: /measured, which `echo-sweep update` writes. src/results/updated_file.hpp is its owner:
columns that follow the step time are read as they are to be expected after the runs, and errors as they remain."""

import numpy as np

from .errors import STEP_SLOPES

ERRORS = ("rel_error", "rel_error_p90")
LATE = ("step_time_p90", "train_time_p90")  # the 90th percentiles of times


class Measured:
    """The group /measured of an open file. `spread`: the factor on the deviations that remain; `explained[row, run]`: what
    each run took off the error of a row, before that factor."""

    def __init__(self, file):
        self._group = file["measured"]
        self._before = file["rel_error_p90"] if "rel_error_p90" in file else None
        self.spread = float(self._group.attrs["spread"])

    @property
    def explained(self):
        return self._group["explained"][...]

    def after(self, name, follows, predictions):
        """The column `name` of the whole file; `predictions`: as it is stored."""
        if name in ERRORS:
            return self._group[name][...]
        slope = STEP_SLOPES.get(follows, 0.0)
        if name in LATE and self._before is not None:
            return predictions * np.exp(self._group["shift"][...] + self._group["rel_error_p90"][...] - self._before[...])
        return predictions * np.exp(slope * self._group["shift"][...]) if slope else predictions


def measured_of(file):
    """The Measured of an open file; None where it has predictions alone."""
    return Measured(file) if "measured" in file else None
