"""The winner's curse: how much of the lead of a ranking's first row is luck. src/query/rank/luck.cpp has the method and is its
owner; the draws are the program's, so that both find the same (analysis/tests/test_robust.py compares them).

Take the predictions as true, draw new ones with the errors that the file holds, and average how much better the winner
of each draw was predicted than it is, over the draws whose winner is known as well as the first row. Rows of one parallel layout
share the draw of their own error. After measured runs errors are drawn with the covariance that remains, and the mean is over the
draws that the first row wins.
"""

from dataclasses import dataclass

import numpy as np

from .errors import KNOWN_AS_WELL, Objective
from .first_place import untried_choices

SEED, DRAWS, MOST_RIVALS = 20260723, 200, 2000
UPDATED_DRAWS, MOST_UPDATED_RIVALS = 2000, 300  # after measured runs
SOURCES = ("arithmetic", "memory", "scale_up", "scale_out", "latency", "host", "overlap", "framework", "layout",
           "production")  # ErrorSource
LAYOUT = ("tp", "pp", "cp", "ep", "vpp", "micro_batch", "schedule", "recompute")


@dataclass(frozen=True)
class WithoutLuck:
    """What the first row of a ranking is to be expected to do: `share`, its expected step time over the predicted one, less
    1; `step_time` (s) and `mfu`, with that share taken out; `layouts` that compete for the first place."""
    share: float
    layouts: int
    step_time: float
    mfu: float


def mix(x):
    """SplitMix64's finaliser of numpy's uint64, as in src/base/counter_rng.hpp."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def draw_normal(seed, keys, number):
    """Standard normal draws, one per key."""
    stream = mix(mix(np.array([seed], dtype=np.uint64)) ^ keys)
    u, v = ((mix(stream ^ np.uint64(2 * number + i)) >> np.uint64(11)).astype(float) * 2.0 ** -53 for i in (0, 1))
    return np.sqrt(-2.0 * np.log(1.0 - u)) * np.cos(2.0 * np.pi * v)


def _unsigned(codes):
    return codes.astype(np.int64).astype(np.uint64)


def _optimism(cost, errors, own):
    """Mean of (true cost - predicted cost) of the winners of the draws, where they are known as well as the first row;
    `own[row]`: the number of its layout."""
    numbers = [SOURCES.index(name.removeprefix("error_")) + 1 for name in errors.sources]
    keys = [mix((own if owner is None else mix(_unsigned(owner))) ^ np.uint64(number))
            for number, owner in zip(numbers, errors.owners)]
    keys = [np.unique(one, return_inverse=True) for one in keys]  # rows that share a draw share its computation
    variance, gaps = (errors.step ** 2).sum(axis=1), []
    for number in range(DRAWS):
        error = sum(errors.step[:, k] * draw_normal(SEED, one, number)[place] for k, (one, place) in enumerate(keys))
        winner = np.argmin(cost + error)
        if variance[winner] <= KNOWN_AS_WELL ** 2 * variance[0]:
            gaps.append(-error[winner])
    return np.mean(gaps) if gaps else 0.0


def _factor(covariances):
    """The lower triangular L with L L' = covariances; rows that those before determine end in zero (settle/cholesky.hpp)."""
    factor = np.zeros_like(covariances)
    for i, row in enumerate(covariances):
        for j in range(i):
            rest = row[j] - factor[i, :j] @ factor[j, :j]
            factor[i, j] = rest / factor[j, j] if factor[j, j] > 0 else 0.0
        rest = row[i] - factor[i, :i] @ factor[i, :i]
        factor[i, i] = np.sqrt(rest) if rest > 1e-14 * row[i] else 0.0
    return factor


def _updated_optimism(cost, errors):
    """Of the first row, over the draws that it wins, with the covariance that measured runs leave; 0 where it wins none."""
    keys = np.arange(len(cost), dtype=np.uint64)
    error = _factor(errors.covariances()) @ np.column_stack([draw_normal(SEED, keys, number) for number in range(UPDATED_DRAWS)])
    won = (cost[0] + error[0] <= (cost[1:, None] + error[1:]).min(axis=0))
    return -error[0, won].mean() if won.any() else 0.0


def _competing(rows, objective, sigma):
    """Positions of the rows that compete with the first: neither before it, nor too far behind; where practice put it first,
    without those that have more choices that nobody ran."""
    cost, places = objective.cost, rows.places()
    before = (cost < cost[0]) | ((cost == cost[0]) & (places < places[0]))
    competes = ~before & (cost <= cost[0] + 6.0 * max(sigma, 1e-9))
    if before.any():
        untried = untried_choices(rows)
        competes &= untried <= untried[0]
    return np.flatnonzero(competes)


def without_luck(rows, metric):
    """A WithoutLuck of the first of `rows`, a view best first, or with the row in front that practice puts first.
    ValueError where errors are not known."""
    (name, goal), = rows.goals(metric if isinstance(metric, dict) else [metric]).items()
    (of_first,), error = rows.view(slice(0, 1))._judged({name: goal})
    sigma = next((error.step[0, k] for k, owner in enumerate(error.owners) if owner is None), 0.0)
    is_updated = error.explained.shape[1] > 0
    kept = _competing(rows, Objective(rows.column(name), goal, of_first.follows), sigma)
    rivals = rows.view(kept[:MOST_UPDATED_RIVALS if is_updated else MOST_RIVALS])
    own = np.zeros(len(rivals), dtype=np.uint64)
    for column in LAYOUT:
        about = rivals.about(column)
        codes = (about.codes if about.words else about.values)[rivals.places()]
        own = mix(own ^ _unsigned(codes))
    (objective,), errors = rivals._judged({name: goal})
    optimism = 0.0
    if objective.slope and objective.follows != "mem_peak" and len(rivals) > 1:
        optimism = _updated_optimism(objective.cost, errors) if is_updated else _optimism(objective.cost, errors, own)
    share = float(np.expm1(max(0.0, optimism)))
    step, mfu = (float(rivals.column(column)[0]) for column in ("step_time", "mfu"))
    return WithoutLuck(share, len(np.unique(own)), step * (1.0 + share), mfu / (1.0 + share))
