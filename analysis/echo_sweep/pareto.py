"""The non-dominated rows of a table of costs.

A row dominates another when it is nowhere worse and somewhere better. Sorted by the first cost, then the second, and
so on, a row can only be dominated by one before it; so the first row that is left belongs to the front, and takes away
all it dominates. One pass over the remaining rows for each distinct point of the front: O(n f k).
"""

import numpy as np


def front_of(costs):
    """bool[row]: which rows of costs[row, metric] no other dominates. Less is better; a row with a NaN is never in."""
    costs = np.asarray(costs, dtype=float)
    in_front = np.zeros(len(costs), dtype=bool)
    complete = np.flatnonzero(~np.isnan(costs).any(axis=1))
    if len(complete) == 0:
        return in_front
    points, which = np.unique(costs[complete], axis=0, return_inverse=True)  # sorted; equal rows share a point
    best = np.zeros(len(points), dtype=bool)
    left = np.arange(len(points))
    while len(left):
        best[left[0]] = True
        left = left[(points[left] < points[left[0]]).any(axis=1)]
    in_front[complete] = best[which.reshape(-1)]
    return in_front
