"""Which inputs move a metric most.

The main effect of an input is the share of a variance that is explained by knowing that input alone: the variance of
the mean at each value, over the variance of all. It is taken of the metric's logarithm, so that a factor of two weighs
alike for slow and fast configs; the program's /effects are the same numbers. Shares of a full crossing sum to at most
1, what is missing being interaction. Rows that did not fit leave holes: inputs then go together, and shares overlap.
"""

import numpy as np

FEW = 1 << 20  # codes below it are counted as they are; sorting millions of them takes seconds


def main_effect(codes, values):
    """Share in 0..1 of the variance of `values` between the groups that `codes` makes; NaN where nothing varies."""
    if codes.dtype.kind not in "iu" or codes.min(initial=0) < 0 or codes.max(initial=0) >= FEW:
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    rows = np.bincount(codes)
    sums = np.bincount(codes, weights=values)[rows > 0]
    rows = rows[rows > 0]
    means = sums / rows
    total = np.var(values)
    if total == 0.0:
        return np.nan
    return float(np.sum(rows * (means - values.mean()) ** 2) / (len(values) * total))
