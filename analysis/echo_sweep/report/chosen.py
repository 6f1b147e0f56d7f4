"""Which rows are on the page. All of them where they are few; else exactly those that pictures and rankings show (the best,
the front, the best of each pair of values), and of the rest one in so many, evenly over the ranking."""

import numpy as np

from ..without_slowdown import LAYOUT, places_of, slices_of

MOST = 5000        # rows of a file that are all on the page, and about as many of a larger one
BEST = 400         # of each model, best first
AXES = 6           # axes with the largest effect; the best row of each pair of their values is on the page
VALUES = 40        # most values of such an axis
FRONT = 1200       # points of a front and behind it
SLICES = 300       # best rows of slices: rows that differ only in the layout
ALWAYS = ("cluster", "gpus", "tp", "pp")  # axes of the pictures the page opens with


def page_axes(rows, levers):
    """Varying axes that pictures can be drawn over: those the page opens with, then those of the largest effect."""
    varying = rows.all.varying()
    turned = [name for name in rows.all.axes() if name in varying]
    names = [name for name in ALWAYS if name in varying] + [name for name in levers if name in turned] + turned
    few = [name for name in dict.fromkeys(names) if count_of_values(rows.all, name) <= VALUES]
    return few[:max(AXES, len(ALWAYS))]


def count_of_values(view, name):
    return places_of(view.about(name).codes[view.places()])[1]


def slice_axes(rows):
    """Axes that tell slices apart: what is asked for, not how it is laid out."""
    turned = set(rows.all.axes())
    return [name for name in rows.all.varying() if name not in LAYOUT and name in turned]


def urgency(view, cost):
    """float[row]: the lower, the rather a row stands for its cell: ranked rows by their cost, then those that may not fit by
    their chance, then infeasible ones by what they lack, then the others."""
    ok = view.about("status").codes[view.places()] == 0
    scale = np.where(ok & view.fits(), 0.0, np.where(ok, 1.0, 3.0))
    within = np.zeros(len(view))
    ranked = scale == 0.0
    place = np.empty(ranked.sum())
    place[np.argsort(cost[ranked], kind="stable")] = np.arange(len(place))
    within[ranked] = place / max(1, len(place))
    if "fit_chance" in view.names():
        within[scale == 1.0] = 1.0 - view.column("fit_chance").astype(float)[scale == 1.0]
    lack = view.column("reason_margin").astype(float) / view.column("mem_limit").astype(float)
    if "limit_excess" in view.names():
        lack = np.where(np.isnan(lack), view.column("limit_excess").astype(float), lack)
    has_lack = (scale == 3.0) & ~np.isnan(lack)
    scale[has_lack] = 2.0
    within[has_lack] = lack[has_lack] / (1.0 + lack[has_lack])
    return scale + np.clip(within, 0.0, 0.999)


def first_of_each(number, order):
    """Positions, one for each value of `number`: the first of them in `order`."""
    first = np.full(int(number.max(initial=-1)) + 1, -1)
    first[number[order[::-1]]] = order[::-1]  # of equal places the last one written stays
    return first[first >= 0]


def stand_ins(rows, axes, slices):
    """Positions in rows.all of the rows that stand for a cell of any two of `axes`, for a value of one, or for a slice."""
    view = rows.all
    sign = 1.0 if rows.goal == "min" else -1.0
    order = np.argsort(urgency(view, sign * view.column(rows.metric).astype(float)), kind="stable")
    numbers = {name: places_of(view.about(name).codes[view.places()])[0] for name in axes}
    found = [order[:1]]
    for i, first in enumerate(axes):
        found.append(first_of_each(numbers[first], order))
        for second in axes[:i]:
            width = int(numbers[second].max(initial=0)) + 1
            found.append(first_of_each(numbers[first] * width + numbers[second], order))
    if slices:
        best = first_of_each(slices_of(view, slices), order)
        found.append(best[:SLICES])
    return np.concatenate(found)


def evenly(places, count):
    """At most about `count` of `places`, one in so many."""
    return places[::max(1, -(-len(places) // max(1, count)))]


def chosen_rows(parts, total):
    """Numbers of rows of the file, sorted. `parts`: of each model its ModelRows, the rows that pictures show, as numbers, the
    positions of stand-ins. `total`: rows of the file."""
    if total <= MOST:
        return np.arange(total)
    share = MOST // max(1, len(parts))
    found = []
    for rows, shown, standing in parts:
        ranked = rows.ranked.places()
        found += [shown, rows.all.places()[standing], ranked[:BEST], rows.doubtful.places()[:50]]
        found.append(evenly(ranked, int(0.6 * share)))
        found.append(evenly(np.setdiff1d(rows.all.places(), ranked, assume_unique=True), int(0.2 * share)))
    return np.unique(np.concatenate(found))
