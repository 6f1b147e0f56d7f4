"""Routing of mixtures of experts, which without values nobody knows: replaced by a balanced or a given one.

Where a router takes the best of its scores (topk or argmax over rows of a matrix without values), the choice becomes a
tensor with values: as many tokens for each expert as the loads say. All that a program computes of it keeps its values
(counts, permutations, splits of all-to-alls), so that shapes that depend on them are known. Every rank has the same loads.

A file of loads is JSON: a list with a number for each expert, for every layer, or a list of such lists, a layer each, in
the order in which a step reaches the layers. Only their ratios matter: 0 is none, and no expert gets a token twice.
"""

import json

import torch

from .trace_file import TraceError

CHOICES = {"aten.topk": 1, "aten.argmax": 0}  # which result says who was chosen
FILLS = {"aten.zeros_like": 0, "aten.ones_like": 1, "aten.new_zeros": 0, "aten.new_ones": 1}


def read_loads(text):
    """None of `balanced`; else the lists in a file."""
    if text == "balanced":
        return None
    try:
        with open(text, encoding="utf-8") as file:
            loads = json.load(file)
    except OSError as error:
        raise TraceError(f"--routing {text}: {error.strerror}; say balanced, or name a JSON file of loads") from None
    except (ValueError, RecursionError):
        raise TraceError(f"{text}: not JSON; a list of numbers, one for each expert, or a list of such lists, one for each "
                         f"layer") from None
    layers = loads if isinstance(loads, list) and loads and isinstance(loads[0], list) else [loads]
    for place, layer in enumerate(layers):
        if not isinstance(layer, list) or not layer or any(not _is_load(load) for load in layer) or sum(layer) <= 0:
            raise TraceError(f"{text}: layer {place}: a list with a number from 0 for each expert, not all 0")
    return layers


def _is_load(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")


def tokens_of_experts(loads, tokens, choices):
    """Whole numbers of tokens in the ratio of `loads`, `tokens * choices` together, `tokens` at most for one."""
    wanted, given = tokens * choices, [0] * len(loads)
    free = [place for place, load in enumerate(loads) if load > 0]
    if len(free) < choices:
        raise TraceError(f"routing: {len(free)} experts have a load, and a token takes {choices}")
    while wanted > sum(given) and free:  # who is full passes the rest on
        rest, total = wanted - sum(given), sum(loads[place] for place in free)
        shares = {place: rest * loads[place] / total for place in free}
        floors = {place: min(int(share), tokens - given[place]) for place, share in shares.items()}
        left = rest - sum(int(share) for share in shares.values())
        for place in sorted(free, key=lambda place: (int(shares[place]) - shares[place], place))[:left]:
            floors[place] = min(floors[place] + 1, tokens - given[place])
        for place in free:
            given[place] += floors[place]
        free = [place for place in free if given[place] < tokens]
    return given


def choice(loads, tokens, choices):
    """[tokens, choices] of int64: experts of each token, none twice."""
    counts = tokens_of_experts(loads, tokens, choices)
    taken = torch.repeat_interleave(torch.arange(len(loads)), torch.tensor(counts))
    return taken.view(choices, tokens).t().contiguous()


class Routing:
    """What routers choose, and which tensors have values though a GPU would hold them."""

    def __init__(self, loads, here):
        """`here()`: whatever stands for the place in the model that is running."""
        self._loads, self._here = loads, here
        self._layers = {}   # place: its number
        self._fills = {}    # storage: the number that fills it
        self._held = set()  # storages of tensors with values that a GPU holds

    def forget(self, storage):
        self._fills.pop(storage, None)
        self._held.discard(storage)

    def loads_of(self, experts):
        if self._loads is None:
            return [1] * experts
        layer = self._layers.setdefault(self._here(), len(self._layers))
        if len(self._loads) > 1 and layer >= len(self._loads):
            raise TraceError(f"routing: loads of {len(self._loads)} layers are given, and the model has more; give each one's, "
                             f"or one list for all")
        loads = self._loads[layer if len(self._loads) > 1 else 0]
        if len(loads) % experts:
            raise TraceError(f"routing: loads of {len(loads)} experts are given, and a router chooses of {experts}")
        each = len(loads) // experts  # a router that chooses groups of experts first
        return [sum(loads[place * each:(place + 1) * each]) for place in range(experts)]

    def chosen(self, op, arguments, result):
        """`result` of an op, with values where it is a router's choice."""
        scores = arguments["self"]
        last = arguments.get("dim", -1) in (-1, 1)
        if scores.dim() != 2 or not last or not scores.dtype.is_floating_point or not arguments.get("largest", True):
            return result
        tokens, experts = scores.shape
        choices = arguments.get("k", 1)
        found = choice(self.loads_of(experts), tokens, choices)
        if op == "aten.argmax":
            return found if arguments.get("keepdim") else found[:, 0].contiguous()
        return result[0], found

    def holds(self, address):
        return address in self._held

    def hold(self, address):
        self._held.add(address)

    def fill(self, op, arguments, result, address):
        """Notes what fills `result`; one of whole numbers gets its values."""
        value = FILLS[op]
        if result.dtype.is_floating_point:
            self._fills[address] = value
            return result
        return torch.full(result.shape, value, dtype=result.dtype)

    def cast(self, address, result):
        """A cast to whole numbers of what is filled with one."""
        if result.dtype.is_floating_point or address not in self._fills:
            return result
        return torch.full(result.shape, self._fills[address], dtype=result.dtype)

    def write(self, address):
        self._fills.pop(address, None)


def sized(op, arguments, is_ours):
    """(arguments, result or None) of an op that takes as many elements as a mask with values says."""
    if op == "aten.masked_select" and not is_ours(arguments["mask"]):
        mask = torch.broadcast_to(arguments["mask"], torch.broadcast_shapes(arguments["self"].shape, arguments["mask"].shape))
        return arguments, arguments["self"].new_empty(int(mask.sum()))
    if op in ("aten.index", "aten.index_put", "aten.index_put_"):
        places = []
        for index in arguments["indices"]:
            masks = index is not None and index.dtype in (torch.bool, torch.uint8) and not is_ours(index)
            places += list(index.nonzero(as_tuple=True)) if masks else [index]
        return arguments | {"indices": places}, None
    return arguments, None
