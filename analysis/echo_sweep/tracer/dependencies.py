"""Who wrote what: which earlier nodes a node takes data from, by the memory that its tensors lie in."""

from typing import NamedTuple


class Extent(NamedTuple):
    """Bytes low <= i < high of a storage; `dense`: all of them, not every so many."""
    storage: object
    low: int
    high: int
    dense: bool = True


class Writers:
    """For each storage the nodes that wrote what lies there now."""

    def __init__(self):
        self._written = {}  # storage: [(low, high, node)]

    def of(self, extents):
        """Nodes whose results lie in any of `extents`, ascending."""
        found = set()
        for extent in extents:
            for low, high, node in self._written.get(extent.storage, ()):
                if low < extent.high and extent.low < high:
                    found.add(node)
        return sorted(found)

    def write(self, extent, node):
        """`node` leaves its result there. What it covers wholly is forgotten."""
        kept = [(low, high, writer) for low, high, writer in self._written.get(extent.storage, ())
                if not (extent.dense and extent.low <= low and high <= extent.high)]
        self._written[extent.storage] = kept + [(extent.low, extent.high, node)]

    def copy(self, source, target):
        """What lies at `target` is as it was at `source`, though no node moved it."""
        self._written[target.storage] = [(target.low, target.high, node) for node in self.of([source])]

    def forget(self, storage):
        self._written.pop(storage, None)

    def forget_nodes(self):
        """A new step: what was written before it is simply there."""
        self._written.clear()
