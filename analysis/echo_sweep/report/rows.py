"""The rows of one model, ranked, as the report asks of them. Works on codes, so that millions of rows take seconds."""

from functools import cached_property

import numpy as np

from ..errors import SURE, Z90, chance_to_beat
from ..robust_front import robust_front

JUDGED = 200_000  # rows: up to here every row of the front is held against every other; beyond, the front is as predicted


class ModelRows:
    """Rows of a Sweep that train one model: `all` of them in file order, and the `ranked` ones best first."""

    def __init__(self, sweep, name, metric):
        self.name, self.metric, self.goal = name, metric, sweep.goal(metric)
        self.all = sweep
        self.ranked = sweep.best(None, metric)
        self.doubtful = sweep.doubtful

    @cached_property
    def judged(self):
        """(rows that may tie with the first, best first, their Objective, their RowErrors); None where no error of the metric
        is known. The standard deviation of a difference is at most the sum of both: a row farther behind surely loses."""
        try:
            objectives, _ = self.ranked.view(slice(0, 1))._judged([self.metric])
        except ValueError:
            return None
        if not len(self.ranked):
            return None
        names = {"mem_peak": "mem_rel_error"}
        column = names.get(objectives[0].follows, "rel_error_p90")
        band = np.nan_to_num(self.ranked.column(column).astype(float)) if objectives[0].slope else np.zeros(1)
        band = band * (Z90 if column == "mem_rel_error" else 1.0)
        cost = objectives[0].sign * self.ranked.column(self.metric).astype(float)
        if objectives[0].slope:
            cost = objectives[0].sign * np.log(objectives[0].sign * cost)
        near = self.ranked.view(cost <= cost[0] + 1.0001 * (band[0] + band))  # the bands are stored as 32 bits
        objectives, errors = near._judged([self.metric])
        return near, objectives[0], errors

    @cached_property
    def chances(self):
        """float[row of judged]: that the first row is truly better; 0.5 for itself and its equals."""
        near, objective, errors = self.judged
        return chances_of_first(objective, errors)

    @cached_property
    def tied(self):
        """Ranked rows that cannot be told apart from the first, which is one of them, and `chances` of the first."""
        if self.judged is None:
            return self.ranked.view(slice(0, 1)), np.full(min(1, len(self.ranked)), 0.5)
        kept = self.chances < SURE
        return self.judged[0].view(kept), self.chances[kept]

    def front(self, metrics):
        """(rows, standing, rival, chance) as Sweep.robust_front has them; standing "unjudged" where errors are not known or
        rows are too many."""
        if len(self.ranked) <= JUDGED:
            try:
                return self.all.robust_front(metrics)
            except ValueError:
                pass
        rows = self.all.front(metrics)
        count = len(rows)
        return rows, np.full(count, "unjudged"), np.full(count, -1), np.full(count, np.nan)


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
