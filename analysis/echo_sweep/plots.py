"""Pictures of a sweep. Each returns matplotlib axes; nothing is shown or saved by itself."""

import numpy as np

# Parts keep their colour in every picture; communication is blue, waiting grey, the slowdown red.
COLOURS = {
    "forward": "#2a9d8f", "backward": "#21867a", "recompute": "#8ab17d", "optimizer": "#b8c480",
    "tp_comm": "#1d3557", "cp_comm": "#274c77", "ep_comm": "#33628f", "pp_comm": "#457b9d", "dp_comm": "#6096ba",
    "zero_comm": "#8ab6d6", "bubble": "#bcbcbc", "idle": "#d9d9d9", "slowdown": "#d62828", "checkpoint": "#e9c46a",
    "other": "#8d8d8d",
}


def _axes(axes):
    import matplotlib.pyplot as plt

    return axes if axes is not None else plt.subplots(layout="constrained")[1]


class Plots:
    def __init__(self, sweep):
        self._sweep = sweep

    def heatmap(self, x, y, metric="step_time", where=None, axes=None):
        """The best value of `metric` for each pair of two inputs; a blank cell has no feasible config."""
        sweep, axes = self._sweep, _axes(axes)
        rows = sweep.ranked(metric, where)
        columns = [np.unique(sweep.column(name)[sweep.rows(where, feasible=False)]) for name in (x, y)]
        grid = np.full((len(columns[1]), len(columns[0])), np.nan)
        values = sweep.column(metric)
        for row in rows[::-1]:  # the best comes last and stays
            i = np.searchsorted(columns[1], sweep.column(y)[row])
            j = np.searchsorted(columns[0], sweep.column(x)[row])
            grid[i, j] = values[row]
        better = "viridis" if sweep.attribute(metric, "objective") == "max" else "viridis_r"
        image = axes.imshow(grid, cmap=better, origin="lower", aspect="auto")
        axes.set_xticks(range(len(columns[0])), columns[0])
        axes.set_yticks(range(len(columns[1])), columns[1])
        axes.set_xlabel(sweep.attribute(x, "long_name"))
        axes.set_ylabel(sweep.attribute(y, "long_name"))
        for (i, j), value in np.ndenumerate(grid):
            if not np.isnan(value):
                axes.text(j, i, f"{value:.3g}", ha="center", va="center", fontsize=8)
        axes.figure.colorbar(image, ax=axes, label=f"{sweep.attribute(metric, 'long_name')} [{sweep.attribute(metric, 'units')}]")
        return axes

    def breakdown(self, top=12, by="step_time", where=None, axes=None):
        """Where the step time of the best configs goes, one bar each."""
        sweep, axes = self._sweep, _axes(axes)
        rows = sweep.ranked(by, where)[:top]
        labels = [key[:8] for key in sweep.ids()[rows]]
        left = np.zeros(len(rows))
        for part, seconds in sweep.breakdown(rows).items():
            if np.any(seconds > 0):
                axes.barh(labels, seconds, left=left, label=part, color=COLOURS.get(part))
                left = left + seconds
        axes.invert_yaxis()
        axes.set_xlabel("step time [s]")
        axes.legend(fontsize=8)
        return axes
