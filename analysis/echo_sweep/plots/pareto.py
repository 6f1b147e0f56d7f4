"""Two metrics against each other, and the configs that no other beats in both."""

from .style import ACCENT, LIGHT_GREY, labels_of, new_axes, scaled


def pareto(sweep, x, y, axes):
    x, y = (sweep.ranking_metric() if metric == "auto" else metric for metric in (x, y))
    axes = new_axes(axes)
    feasible, front = sweep.feasible, sweep.front([x, y])
    places = []
    for name, set_label in ((x, axes.set_xlabel), (y, axes.set_ylabel)):
        everything, label = scaled(sweep.about(name), feasible.column(name).astype(float))
        position = dict(zip(feasible.ids(), everything))
        places.append((everything, [position[row_id] for row_id in front.ids()]))
        goal = sweep.goal(name)
        set_label(f"{label}, {'less' if goal == 'min' else 'more'} is better")
    axes.plot(*(everything for everything, _ in places), ".", ms=3, color=LIGHT_GREY, rasterized=True,
              label=f"{len(feasible)} feasible configs")
    axes.step(*(on_front for _, on_front in places), where="post", color=ACCENT, lw=1.2)  # from the best x on
    axes.plot(*(on_front for _, on_front in places), "o", ms=5, color=ACCENT, label=f"{len(front)} that no other beats")
    names = [name for name in front.varying() if name in front.axes() and not sweep.about(name).words]
    labels = labels_of(front, names)
    for i in {0, len(front) - 1} if len(front) else ():
        axes.annotate(labels[i], [on_front[i] for _, on_front in places], xytext=(6, -10), textcoords="offset points",
                      fontsize=8)
    axes.legend(frameon=False, fontsize=9)
    return axes
