"""Pictures of a sweep. Each returns matplotlib axes; nothing is shown or saved by itself.

Where two values of a kind differ by colour they also differ by place, marker or hatch: the pictures read in grey.
"""


class Plots:
    """What `sweep.plot` is. Every picture takes `where` (as Sweep.where) and `axes` to draw into."""

    def __init__(self, sweep):
        self._sweep = sweep

    def heatmap(self, x="tp", y="pp", metric="auto", where=None, reduce="best", axes=None):
        """The metric over two inputs. Hatched: does not fit, and what the closest config lacks. Blank: not run."""
        from .heatmap import heatmap

        return heatmap(self._sweep.where(where), x, y, metric, reduce, axes)

    def pareto(self, x="mem_peak", y="auto", where=None, axes=None):
        """All feasible configs by two metrics, and those that no other beats in both."""
        from .pareto import pareto

        return pareto(self._sweep.where(where), x, y, axes)

    def breakdown(self, top=12, by="auto", per=None, where=None, axes=None):
        """Where the step of the best configs goes, a bar each; with `per`, of the best ones of each value."""
        from .breakdown import breakdown

        return breakdown(self._sweep.best(top, by, per, where), axes)

    def scaling(self, x="gpus", metric="tokens_per_s", per=None, where=None, ideal=True, axes=None):
        """The best of the metric at each x, a line for each value of `per`; dashed: the first point scaled by x."""
        from .scaling import scaling

        return scaling(self._sweep.where(where), x, metric, per, ideal, axes)

    def parallel(self, inputs=None, metric="auto", top=20, where=None, axes=None):
        """Parallel coordinates: an upright axis for each input, a line for each config, the `top` best on top."""
        from .parallel import parallel

        return parallel(self._sweep.where(where), inputs, metric, top, axes)
