"""How wrong predictions may be, and what two rows share of that.

Columns with `shared_by` hold the contributions to the error of ln(step_time), one standard deviation each; rows share
the draw of a contribution where they agree in that column (`config`: never). `error_follows` says of a metric which
error it has. hdf5_schemas/README.md has the rules; src/results/rank/contest.cpp does the same for the program.
"""

from copy import copy
from math import erfc, sqrt

import numpy as np

SURE = 0.9  # how sure a comparison must be: nine in ten
KNOWN_AS_WELL = 1.1  # at most: the error of a row over that of another (settle::is_known_as_well)
Z90 = 1.2815515655446004  # the normal law's 90th percentile
STEP_SLOPES = {"step_time": 1.0, "1/step_time": -1.0}  # of ln(metric) in ln(step time)
SLOPES = {**STEP_SLOPES, "mem_peak": 1.0}  # of ln(metric) in ln(what it follows)

_erfc = np.frompyfunc(erfc, 1, 1)


def normal_cdf(z):
    return 0.5 * _erfc(np.asarray(z, dtype=float) * -(1.0 / sqrt(2.0))).astype(float)


class Objective:
    """A metric as a cost, of which less is better: a logarithm where it has an error, so that a relative error adds."""

    def __init__(self, values, goal, follows):
        self.sign = 1.0 if goal == "min" else -1.0
        self.follows = follows if follows in SLOPES else ""
        self.slope = self.sign * SLOPES.get(follows, 0.0)
        values = np.asarray(values, dtype=float)
        if self.slope:
            values = np.log(np.where(values > 0, values, np.nan))
        self.cost = self.sign * values

    def rows(self, chosen):
        """The same of some of its rows."""
        some = copy(self)
        some.cost = self.cost[chosen]
        return some


class RowErrors:
    """The errors of some rows: `step[row, source]` and `memory[row]`, one standard deviation, scaled so that the normal
    law has its 90th percentile where the calibration found it."""

    def __init__(self, step, owners, memory, has_memory=True, sources=(), explained=None):
        """`owners[source]`: whose error it is, a number for each row; None where it is each row's own. `sources`: names of
        their columns. `explained[row, run]`: what each measured run took off the error of a row; none: no runs."""
        self.step, self.owners, self.memory, self.has_memory, self.sources = step, owners, memory, has_memory, sources
        self.explained = np.zeros((len(memory), 0)) if explained is None else explained

    @classmethod
    def of(cls, view):
        def real(name):
            return np.nan_to_num(view.column(name).astype(float)) if name in view.names() else np.zeros(len(view))

        shared = {name: view.about(name).attributes.get("shared_by", "") for name in view.names()}
        sources = {name: owner for name, owner in shared.items() if owner}
        sigma, p90 = real("rel_error"), real("rel_error_p90")  # their ratio is the same before and after measured runs
        known = (sigma > 0) & (p90 > 0)
        scale = np.where(known, p90 / np.where(known, sigma * Z90, 1.0), 1.0)
        step = np.column_stack([np.zeros((len(view), 0))] + [scale * real(name) for name in sources])
        owners = [None if owner == "config" else view.about(owner).codes[view.places()] for owner in sources.values()]
        spread, explained = view.explained()
        return cls(spread * step, owners, real("mem_rel_error"), "mem_rel_error" in view.names(), tuple(sources),
                   spread * explained)

    def rows(self, chosen):
        """The errors of some of these rows."""
        owners = [owner if owner is None else owner[chosen] for owner in self.owners]
        return RowErrors(self.step[chosen], owners, self.memory[chosen], self.has_memory, self.sources,
                         self.explained[chosen])

    def knows(self, follows):
        """Whether the file holds the error that a metric follows."""
        if follows == "mem_peak":
            return self.has_memory
        return follows == "none" or (follows in SLOPES and bool(self.owners))

    def step_variance(self, a, b):
        """Of ln(step a / step b); `a`, `b`: row numbers, of one shape."""
        variance = np.zeros(np.broadcast(a, b).shape)
        for k, owner in enumerate(self.owners):
            x, y = self.step[a, k], self.step[b, k]
            apart = x * x + y * y
            variance += apart if owner is None else np.where(owner[a] == owner[b], (x - y) * (x - y), apart)
        for run in range(self.explained.shape[1]):
            variance -= (self.explained[a, run] - self.explained[b, run]) ** 2
        return np.maximum(variance, 0.0) if self.explained.shape[1] else variance

    def memory_variance(self, a, b):
        """Of ln(mem_peak a / mem_peak b). Nothing says what rows share of it: they count as independent."""
        return self.memory[a] ** 2 + self.memory[b] ** 2

    def variance(self, objective, a, b):
        """Of the difference of two rows in an objective."""
        if not objective.slope:
            return np.zeros(np.broadcast(a, b).shape)
        return (self.memory_variance if objective.follows == "mem_peak" else self.step_variance)(a, b)

    def band(self, follows):
        """float[row]: half-width of the 80 % band of a metric, relative; zeros where it has none."""
        if follows == "mem_peak":
            return Z90 * self.memory
        variance = (self.step ** 2).sum(axis=1) - (self.explained ** 2).sum(axis=1)
        return Z90 * np.sqrt(np.maximum(variance, 0.0)) if follows in SLOPES else np.zeros(len(self.memory))

    def covariances(self):
        """float[row, row] of the errors of ln(step_time); rows of one number are one row."""
        shared = np.zeros((len(self.memory), len(self.memory)))
        for k, owner in enumerate(self.owners):
            product = np.outer(self.step[:, k], self.step[:, k])
            same = np.eye(len(product), dtype=bool) if owner is None else owner[:, None] == owner[None, :]
            shared += np.where(same, product, 0.0)
        return shared - self.explained @ self.explained.T


def _within(low, high, sigma):
    """Of a normal variable of mean zero to lie between."""
    exact = sigma == 0
    divisor = np.where(exact, 1.0, sigma)
    with np.errstate(invalid="ignore"):
        chance = normal_cdf(high / divisor) - normal_cdf(low / divisor)
    return np.where(low > high, 0.0, np.where(exact, (low <= 0) & (high >= 0), chance))


def chance_to_beat(objectives, errors, a, b):
    """P(row a is truly no worse than row b in every objective), of row numbers. Where nothing is left to chance, of
    rows equal in all the one with the lower number."""
    a, b = np.broadcast_arrays(a, b)
    chance = np.ones(a.shape)
    bounds = {}  # by what has the error: where the difference of two errors must lie
    equal, certain = np.ones(a.shape, dtype=bool), np.ones(a.shape, dtype=bool)
    for objective in objectives:
        gap = objective.cost[b] - objective.cost[a]
        equal &= objective.cost[b] == objective.cost[a]
        if not objective.slope:
            chance[~(gap >= 0)] = 0.0
            continue
        kind = "memory" if objective.follows == "mem_peak" else "step"
        low, high = bounds.get(kind, (-np.inf, np.inf))
        bounds[kind] = (low, np.minimum(high, gap)) if objective.slope > 0 else (np.maximum(low, -gap), high)
    for kind, (low, high) in bounds.items():
        variance = errors.step_variance(a, b) if kind == "step" else errors.memory_variance(a, b)
        certain &= variance == 0
        chance *= _within(np.broadcast_to(low, a.shape), np.broadcast_to(high, a.shape), np.sqrt(variance))
    return np.where(equal & certain, (a < b).astype(float), chance)


def chances_of_first(objective, errors):
    """float[row]: that the first row is truly better than each; the rows are those of `objective` and `errors`."""
    count = len(objective.cost)
    first, others = np.zeros(count, dtype=int), np.arange(count)
    chance = np.full(count, 0.5)
    if count > 1:
        chance[1:] = chance_to_beat([objective], errors, first[1:], others[1:])
    equal = objective.cost == objective.cost[:1]
    chance[equal & (errors.variance(objective, first, others) == 0)] = 0.5
    return chance
