"""The first place of a ranking: the rows that may tie with the best, and the one of them that practice puts first.

What the errors cannot decide, practice decides: among the rows that tie with the best, are known as well and would tie were the best
known as well as they, the one is first whose choices published runs have exercised most completely, and of equals the one with
the least 90th percentile. src/query/rank/tie_break.cpp is the owner of the method
(analysis/tests/test_robust.py compares both).
"""

import numpy as np

from .errors import KNOWN_AS_WELL, SURE, Z90, Objective, chance_to_beat, chances_of_first


def near_first(rows, metric):
    """(rows that may tie with the first, in the order of `rows`; their Objective; their RowErrors); None where there is no row, or
    no error of the metric is known. The standard deviation of a difference is at most the sum of both: a row farther behind
    surely loses."""
    if not len(rows):
        return None
    (name, goal), = rows.goals(metric if isinstance(metric, dict) else [metric]).items()
    try:
        follows = rows.view(slice(0, 1))._judged({name: goal})[0][0].follows
    except ValueError:
        return None
    objective = Objective(rows.column(name), goal, follows)
    column = "mem_rel_error" if follows == "mem_peak" else "rel_error_p90"
    band = np.nan_to_num(rows.column(column).astype(float)) if objective.slope else np.zeros(1)
    band = band * (Z90 if column == "mem_rel_error" else 1.0)
    near = rows.view(objective.cost <= objective.cost[0] + 1.0001 * (band[0] + band))  # the bands are stored as 32 bits
    objectives, errors = near._judged({name: goal})
    return near, objectives[0], errors


def untried_choices(rows):
    """int[row]: how many choices of each no published run of its GPU kind had; zeros where the file does not say."""
    if "untried" not in rows.names():
        return np.zeros(len(rows), dtype=int)
    bits = rows.column("untried").astype(np.int64)
    return sum((bits >> bit) & 1 for bit in range(32))


def _may_replace_first(objective, errors):
    """bool[row]: for the first itself, and for rows that may take its place."""
    tied = chances_of_first(objective, errors) < SURE
    if objective.follows == "mem_peak":
        return tied
    count, band = len(objective.cost), errors.band(objective.follows)
    scale = np.minimum(1.0, np.divide(band, band[0], out=np.ones(count), where=band[0] > 0))
    twice = np.concatenate([np.zeros(count, dtype=int), np.arange(count)])
    pairs = errors.rows(twice)  # the first, no less known than the other, and the other
    pairs.step[:count] *= scale[:, None]
    pairs.explained[:count] *= scale[:, None]
    chance = chance_to_beat([objective.rows(twice)], pairs, np.arange(count), count + np.arange(count))
    equal = objective.cost == objective.cost[0]
    return tied & (equal | (chance < SURE)) & (band <= KNOWN_AS_WELL * band[0])


def first_by_practice(rows, metric):
    """`rows`, best first, with that row moved to the front which practice puts first."""
    found = near_first(rows, metric)
    if found is None or not found[1].slope:
        return rows
    near, objective, errors = found
    tied = _may_replace_first(objective, errors)
    untried, band = untried_choices(near), errors.band(objective.follows)
    candidates = np.flatnonzero(tied)
    first = int(candidates[np.lexsort((near.places()[candidates], (objective.cost + band)[candidates], untried[candidates]))[0]])
    is_better_known = objective.follows != "mem_peak" and band[0] > KNOWN_AS_WELL * band[first]
    if untried[first] >= untried[0] and not is_better_known:
        return rows
    place = int(np.flatnonzero(rows.places() == near.places()[first])[0])
    return rows.view(np.concatenate([[place], np.delete(np.arange(len(rows)), place)]))
