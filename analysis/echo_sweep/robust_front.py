"""The Pareto front with its ties, and the rows off it that no other surely beats: src/results/rank/robust_front.hpp.

Rows that a point of the predicted front leads by twice the greatest band are out, and cannot matter for others. The
rest is first held against the front, which settles most of it, and what is left then against all of the rest.
"""

from dataclasses import dataclass

import numpy as np

from .errors import SURE, chance_to_beat
from .pareto import front_of

BLOCK = 1 << 20  # pairs at a time
LEAD = 1.96  # standard deviations: four leads by as much, of steps and memory, all hold with a chance of SURE


@dataclass(frozen=True)
class RobustFront:
    """Of each row in `rows`: `standing` (robust, tie, unproven), `chance` of the `rival`: the likeliest
    row to beat it (of an unproven one: among those of the predicted front), -1 where there is none."""
    rows: np.ndarray
    standing: np.ndarray
    rival: np.ndarray
    chance: np.ndarray


def _predicted(costs):
    """bool[row]: the front; of rows equal in all costs the first."""
    front = front_of(costs)
    numbers = np.flatnonzero(front)
    first = np.unique(costs[numbers], axis=0, return_index=True)[1]
    front[:] = False
    front[numbers[first]] = True
    return front


def _near(costs, front, margins):
    """bool[row]: not led by the margins in every objective."""
    near = np.ones(len(costs), dtype=bool)
    for point in costs[front]:
        near &= ~(point <= costs - margins).all(axis=1)
    return near | front


def _rivals(objectives, errors, contenders, asked):
    """(rival, chance) of each row asked about, of chances of 1 - SURE or more; of equal chances the earliest row."""
    rival, chance = np.full(len(asked), -1), np.full(len(asked), np.nan)
    step = max(1, BLOCK // max(1, len(contenders)))
    for begin in range(0, len(asked), step):
        some = asked[begin:begin + step]
        chances = chance_to_beat(objectives, errors, contenders[None, :], some[:, None])
        chances[contenders[None, :] == some[:, None]] = -1.0
        best = chances.argmax(axis=1) if len(contenders) else np.zeros(len(some), dtype=int)
        found = chances[np.arange(len(some)), best] if len(contenders) else np.full(len(some), -1.0)
        enough = found >= 1.0 - SURE
        rival[begin:begin + step][enough] = contenders[best[enough]]
        chance[begin:begin + step][enough] = found[enough]
    return rival, chance


def _surely_beaten(objectives, errors, contenders, asked):
    """bool[row asked about]: that some contender beats it with a chance of SURE; as predicted, such a one is then no worse in
    any objective, so that few pairs are left to judge."""
    costs = [objective.cost for objective in objectives]
    beaten = np.zeros(len(asked), dtype=bool)
    step = max(1, BLOCK // max(1, len(contenders)))
    for begin in range(0, len(asked), step):
        some = asked[begin:begin + step]
        better = contenders[None, :] != some[:, None]
        for cost in costs:
            better &= cost[contenders][None, :] <= cost[some][:, None]
        place, which = np.nonzero(better)
        chances = chance_to_beat(objectives, errors, contenders[which], some[place])
        beaten[begin + place[chances >= SURE]] = True
    return beaten


def robust_front(objectives, errors):
    """A RobustFront: the predicted front, then the unproven rows, each in the order of their costs."""
    costs = np.column_stack([objective.cost for objective in objectives])
    complete = ~np.isnan(costs).any(axis=1)
    costs = np.where(complete[:, None], costs, np.nan)
    front = _predicted(costs)
    step = np.sqrt((errors.step ** 2).sum(axis=1))[complete].max(initial=0.0)
    memory = errors.memory[complete].max(initial=0.0)
    margins = np.array([2.0 * LEAD * (memory if o.follows == "mem_peak" else step) if o.slope else 0.0
                        for o in objectives])
    near = np.flatnonzero(complete & _near(costs, front, margins))
    on_front = np.flatnonzero(front)
    off_front = near[~front[near]]
    rival, chance = _rivals(objectives, errors, on_front, off_front)
    left = ~(chance >= SURE)
    off_front, rival, chance = off_front[left], rival[left], chance[left]
    left = ~_surely_beaten(objectives, errors, near, off_front)
    found = [[on_front, *_rivals(objectives, errors, near, on_front)], [off_front[left], rival[left], chance[left]]]
    asked, rival, chance = (np.concatenate(parts) for parts in zip(*found))
    standing = np.where(~front[asked], "unproven", np.where(rival < 0, "robust", "tie"))
    order = np.lexsort((asked, *costs[asked].T[::-1], ~front[asked]))
    return RobustFront(asked[order], standing[order], rival[order], chance[order])
