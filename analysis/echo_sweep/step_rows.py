"""Rows that `echo-sweep validate STEPS.csv --csv ROWS.csv` writes of measured training steps."""

import csv

import numpy as np

WANTED = {"row", "status", "measured", "predicted", "ratio", "source", "stratum", "gpu", "framework", "gpus",
          "precision", "features", "mfu"}


class StepRows:
    """Scored rows: arrays `measured`, `predicted` [s], `ratio`, `mfu`, and of text `stratum`, `source`, `gpu`, ..."""

    def __init__(self, path):
        with open(path, newline="") as file:
            reader = csv.DictReader(file)
            if not WANTED <= set(reader.fieldnames or ()):
                raise ValueError(f"{path}: no rows of training steps; write them with "
                                 f"echo-sweep validate STEPS.csv --csv {path}")
            rows = [row for row in reader if row["status"] == "ok" and row["ratio"]]
        for name in ("measured", "predicted", "ratio", "mfu", "gpus"):
            setattr(self, name, np.array([float(row[name]) for row in rows]))
        for name in ("row", "source", "stratum", "gpu", "framework", "precision", "features"):
            setattr(self, name, np.array([row[name] for row in rows], dtype=object))

    def __len__(self):
        return len(self.measured)

    def groups(self, by="stratum"):
        """{name: indices of its rows}, most rows first; a row may be in several groups of `by="features"`."""
        if by not in ("source", "stratum", "gpu", "framework", "precision", "features"):
            raise KeyError(f"rows are not told apart by {by}")
        names = [cell.split("+") if by == "features" else [cell or "(none)"] for cell in getattr(self, by)]
        found = {}
        for i, cells in enumerate(names):
            for name in cells:
                found.setdefault(name, []).append(i)
        return {name: np.array(found[name]) for name in sorted(found, key=lambda name: (-len(found[name]), name))}

    def errors(self, rows=slice(None)):
        """(median, mean) absolute percentage error of the predicted time, as fractions."""
        error = np.abs(self.ratio[rows] - 1)
        return float(np.median(error)), float(np.mean(error))
