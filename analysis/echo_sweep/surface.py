"""Break-even surfaces: what `echo-sweep break-even FILE --x ... --y ... --json` wrote."""

import json
import math
import pathlib
from typing import NamedTuple, Optional


class Cell(NamedTuple):
    """One pair of values: which kind of row wins there, and by how much."""

    x: str
    y: str
    winner: Optional[str]  # "cluster=dgx-h200"; None where no row is ranked
    value: float  # of the winner, in the metric
    gap: float  # of the best row of any other kind, 0.05 = 5 % worse; NaN where there is none
    is_tie: bool  # the chance that the winner truly is better is below 90 %
    config_id: Optional[str]  # of the winner
    layout: str


class Surface:
    """Which kind of row wins over two axes of hardware or prices."""

    def __init__(self, data):
        self.data = data
        self.by, self.goal, self.per = data["by"], data["goal"], data["per"]
        self.x, self.y = (data[name] for name in ("x", "y"))  # name, values, numbers
        self.kinds = data["kinds"]  # that win somewhere, the most cells first
        self.boundaries, self.searched = data["boundaries"], data["searched"]

    @property
    def cells(self):
        """Every Cell, row by row of y."""
        return [self._cell(one) for one in self.data["cells"]]

    def cell(self, x, y):
        """The Cell at these places on the axes."""
        return self._cell(self.data["cells"][y * len(self.x["values"]) + x])

    @staticmethod
    def _cell(one):
        first = one["standings"][0] if one["standings"] else None
        number = lambda value: math.nan if value is None else value  # noqa: E731
        return Cell(one["x"], one["y"], first and first["kind"], number(first["value"]) if first else math.nan,
                    number(one["gap"]), one["is_tie"], first and first["config_id"], first["layout"] if first else "")

    def plot(self, axes=None):
        """The winners as a picture. Hatched: a tie. Black lines: where two winners are equally good."""
        from .plots.surface import surface

        return surface(self, axes)

    def __repr__(self):
        return (f"Surface({self.by} by {self.per}: {len(self.x['values'])} x {len(self.y['values'])} cells, "
                f"{len(self.kinds)} winners)")


def surface_of(source):
    """From the JSON's path, its text, or what json.loads made of it."""
    if isinstance(source, dict):
        return Surface(source)
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return Surface(json.loads(source))
    return Surface(json.loads(pathlib.Path(source).read_text()))
