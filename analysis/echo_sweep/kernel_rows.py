"""Rows that `echo-sweep validate TABLE.csv --csv ROWS.csv` writes of measured kernels."""

import csv

import numpy as np

# What is drawn and summed together, by the kernel and, for products, by the operands.
NARROW = ("fp8", "mxfp8", "nvfp4")
NAMES = {"gemm": "products", "attention_forward": "attention forward", "attention_backward": "attention backward"}


def mechanism_of(kernel, precision, stratum):
    if kernel == "gemm":
        return f"{8 if precision in NARROW else 16}-bit products"
    if kernel in NAMES:
        return NAMES[kernel]
    return "experts" if stratum.startswith("moe") or "expert" in kernel else "memory-bound"


class KernelRows:
    """Scored rows: arrays of seconds measured and predicted, FLOPs, tokens, whether accuracy is claimed, mechanism."""

    def __init__(self, path):
        with open(path, newline="") as file:
            reader = csv.DictReader(file)
            wanted = {"kernel", "seconds", "ratio", "quantity", "in_region", "flops", "tokens", "status"}
            if not wanted <= set(reader.fieldnames or ()):
                raise ValueError(f"{path}: no rows of kernels; write them with echo-sweep validate TABLE.csv --csv {path}")
            rows = [row for row in reader if row["status"] == "ok"]
        self.measured = np.array([float(row["seconds"]) for row in rows])
        ratios = np.array([float(row["ratio"]) for row in rows])
        is_time = np.array([row["quantity"] == "seconds" for row in rows], dtype=bool)
        self.ratio = np.where(is_time, ratios, 1 / ratios)  # of times; efficiency is the inverse
        self.flops = np.array([float(row["flops"]) for row in rows])
        self.tokens = np.array([float(row["tokens"]) for row in rows])
        self.claimed = np.array([row["in_region"] == "1" for row in rows], dtype=bool)
        self.mechanism = np.array([mechanism_of(row["kernel"], row["precision"], row["stratum"]) for row in rows],
                                  dtype=object)

    def __len__(self):
        return len(self.measured)

    @property
    def predicted(self):
        return self.measured * self.ratio

    def where(self, mask):
        """The rows of a mask."""
        part = object.__new__(KernelRows)
        part.__dict__ = {name: values[mask] for name, values in self.__dict__.items()}
        return part

    def by_mechanism(self):
        """{mechanism: its rows}, most rows first."""
        names, counts = np.unique(self.mechanism.astype(str), return_counts=True)
        return {str(names[i]): self.where(self.mechanism == names[i]) for i in np.argsort(-counts, kind="stable")}

    def errors(self):
        """(median, mean) absolute percentage error of the predicted time, as fractions."""
        error = np.abs(self.ratio - 1)
        return float(np.median(error)), float(np.mean(error))
