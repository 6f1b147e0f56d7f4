"""The rows of one model, ranked, as the report asks of them. Works on codes, so that millions of rows take seconds."""

from functools import cached_property

import numpy as np

from ..errors import SURE, chances_of_first
from ..first_place import near_first

JUDGED = 200_000  # rows: up to here every row of the front is held against every other; beyond, the front is as predicted


class ModelRows:
    """Rows of a Sweep that train one model: `all` of them in file order, and the `ranked` ones as `top` ranks them."""

    def __init__(self, sweep, name, metric):
        self.name, self.metric, self.goal = name, metric, sweep.goal(metric)
        self.all = sweep
        self.ranked = sweep.best(None, metric, keep_order=False)
        self.doubtful = sweep.doubtful

    @cached_property
    def judged(self):
        """(rows that may tie with the first, in their order, their Objective, their RowErrors); None where no error of the
        metric is known."""
        return near_first(self.ranked, self.metric)

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
