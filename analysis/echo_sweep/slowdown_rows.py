"""What `echo-sweep slowdown evaluate --csv ROWS.csv` and `echo-sweep slowdown explain --json` write."""

import csv
import json

import numpy as np

GIVEN = ("row", "kernel", "fold", "alone_s", "overlapped_s", "overlap_ratio", "slowdown")


class SlowdownRows:
    """Measured overlaps: arrays `kernel`, `alone`, `overlapped` [s], `overlap_ratio`; `predicted` {candidate: s}.

    Every prediction is of a model that had not seen the row.
    """

    def __init__(self, path):
        with open(path, newline="") as file:
            reader = csv.DictReader(file)
            names = list(reader.fieldnames or ())
            if names[:len(GIVEN)] != list(GIVEN) or "nested_choice" not in names:
                raise ValueError(f"{path}: no rows of overlaps; write them with "
                                 f"echo-sweep slowdown evaluate DATA --csv {path}")
            rows = list(reader)
        self.kernel = np.array([row["kernel"] for row in rows], dtype=object)
        self.alone, self.overlapped, self.overlap_ratio = (
            np.array([float(row[name]) for row in rows]) for name in ("alone_s", "overlapped_s", "overlap_ratio"))
        self.predicted = {name: np.array([float(row[name]) for row in rows]) for name in names[len(GIVEN):]}

    def __len__(self):
        return len(self.alone)

    @property
    def overlaps(self):
        """Which rows ran beside communication at all."""
        return self.overlap_ratio > 0

    def errors(self, candidate):
        """|predicted - measured| / measured of the overlapped time."""
        return np.abs(self.predicted[candidate] / self.overlapped - 1)


class Explanation:
    """What predictions of `model` depend on: lists of (input, growth, spread), (feature, share), and curves."""

    def __init__(self, path):
        with open(path) as file:
            try:
                told = json.load(file)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}: {error}") from None
        if not isinstance(told, dict) or "partial_dependence" not in told:
            raise ValueError(f"{path}: no explanation; write one with echo-sweep slowdown explain DATA --json > {path}")
        self.model, self.setting, self.judged_on = told["model"], told["setting"], told["judged_on"]
        self.importance = [(one["input"], one["growth"], one["spread"]) for one in told["importance"]]
        self.gain = [(one["feature"], one["share"]) for one in told["gain"]]
        self.curves = [(one["input"], one["units"], np.array(one["at"]), np.array(one["slowdown"]))
                       for one in told["partial_dependence"]]


def is_explanation(path):
    """Whether the file is JSON, not a table."""
    with open(path, "rb") as file:
        return file.read(1) == b"{"
