"""The answer to a sweep's question for one model: the best row, what ties with it, and what would settle the order."""

import numpy as np

from ..errors import SURE, Z90, RowErrors, chances_of_first
from ..luck import without_luck

TIES_SHOWN = 12
DOUBTFUL_SHOWN = 5
NOTICED = 0.005  # share of a variance from which a source is named
# What takes a source of error away. Errors that the rows share are the same for both and cancel.
REMEDIES = {
    "error_arithmetic": "measure the kernels below on this GPU",
    "error_memory": "measure the kernels below on this GPU",
    "error_scale_up": "measure collectives inside a node of this cluster",
    "error_scale_out": "measure collectives between nodes of this cluster",
    "error_latency": "measure small collectives on this cluster",
    "error_host": "measure the host time of this framework",
    "error_overlap": "measure overlapped kernels on this GPU",
    "error_framework": "run one configuration of this framework",
    "error_layout": "run the tied layouts once",
    "error_production": "use the records of your own long runs",
}


def settling(rows):
    """How well the order of #1 and #2 is known, and how many ties are left with each source of error taken away:
    {"gap", "band", "sources": [{"name", "share", "ties", "remedy"}]}; None where nothing ties or no error is known."""
    if rows.judged is None or len(rows.tied[0]) < 2:
        return None
    near, objective, errors = rows.judged
    second = int(np.flatnonzero(rows.chances < SURE)[1])
    a, b = np.array([0]), np.array([second])
    variance = float(errors.variance(objective, a, b)[0])
    gap = float(np.expm1(objective.cost[second] - objective.cost[0])) if objective.slope else 0.0
    found = {"gap": gap, "band": float(np.expm1(Z90 * np.sqrt(variance))), "sources": []}
    if objective.follows == "mem_peak" or not objective.slope:
        return found
    for k, (name, owner) in enumerate(zip(errors.sources, errors.owners)):
        step, owners = np.delete(errors.step, k, axis=1), errors.owners[:k] + errors.owners[k + 1:]
        left = RowErrors(step, owners, errors.memory, errors.has_memory, errors.sources[:k] + errors.sources[k + 1:])
        x, y = errors.step[0, k], errors.step[second, k]
        part = (x - y) ** 2 if owner is not None and owner[0] == owner[second] else x * x + y * y
        ties = int(np.sum(chances_of_first(objective, left) < SURE)) - 1
        if part > NOTICED * variance or ties + 1 < len(rows.tied[0]):
            found["sources"].append({"name": near.about(name).long_name.split(" by ")[-1], "ties": ties,
                                     "share": part / variance if variance else 0.0, "remedy": REMEDIES.get(name, "")})
    found["sources"].sort(key=lambda source: -source["share"])
    return found


def luck_of(rows):
    """The winner's curse of the first row, as Sweep.without_luck has it; None where errors are not known."""
    if rows.judged is None:
        return None
    return without_luck(rows.ranked, rows.metric)


def doubtful_of(rows):
    """Rows that may not fit and would be better than the best, best first: (rows shown, how many there are)."""
    doubtful = rows.doubtful
    sign = 1.0 if rows.goal == "min" else -1.0
    cost = sign * doubtful.column(rows.metric).astype(float)
    best = sign * float(rows.ranked.column(rows.metric)[0]) if len(rows.ranked) else np.inf
    better = np.flatnonzero(cost < best)
    better = better[np.argsort(cost[better], kind="stable")]
    return doubtful.view(better[:DOUBTFUL_SHOWN]), len(better)


def nearest_of(rows, count=5):
    """Infeasible rows that are closest to feasible: by the missing share of memory, or by the excess over a limit."""
    some = rows.all.view(rows.all.about("status").codes[rows.all.places()] == 1)
    lack = some.column("reason_margin").astype(float) / some.column("mem_limit").astype(float)
    if "limit_excess" in some.names():
        lack = np.where(np.isnan(lack), some.column("limit_excess").astype(float), lack)
    known = np.flatnonzero(~np.isnan(lack))
    return some.view(known[np.argsort(lack[known], kind="stable")[:count]])
