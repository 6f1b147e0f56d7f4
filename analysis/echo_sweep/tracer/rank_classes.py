"""Which ranks do the same work, so that few need to be traced.

Two ranks are of one class where their op lists are equal up to membership: same kinds, shapes, bytes, order and
dependencies, collectives over groups of the same role and size, messages to peers as far away in their group.

Ranks are placed by their position in each family of groups (the rows of a device mesh along one dimension, or what a
program calls by one name). The rule, one family after the other:
  pipeline   every position is traced: stages may hold different layers in any order;
  others     along a family the work of neighbours changes at a few places at most (a shard that is shorter, the last
             one empty), so where both ends of a stretch are of one class, all between are; else it is halved.
Ranks with the same positions in all families are of one class.
"""

import itertools


def relative_signature(nodes, rank, groups):
    """What a rank does, told so that ranks of one class tell the same. `groups`: {name: (role, ranks)}."""

    def peer_of(node):
        if node.peer < 0:
            return None
        role, ranks = groups.get(node.group, ("unknown", []))
        if node.peer in ranks and rank in ranks:
            return (ranks.index(node.peer) - ranks.index(rank)) % len(ranks) if node.kind != "collective" else \
                ranks.index(node.peer)
        return node.peer - rank

    def told(node):
        role, ranks = groups.get(node.group, ("", []))
        kernel = tuple(sorted(node.kernel.items())) if node.kernel else None
        return (node.kind, node.name, node.pass_, node.stream, tuple(node.needs), tuple(node.follows), kernel, node.flops,
                node.bytes, node.collective, node.precision, role, len(ranks), peer_of(node), node.tag, node.launch)

    return tuple(told(node) for node in nodes)


class Families:
    """Positions of the ranks of a world in its groups. `families`: [(role, [ranks of one group, ...])]."""

    def __init__(self, world, families):
        self.world = world
        self.roles, self.position = [], []  # [family], [family]{rank: position}
        for role, lists in families:
            position = {rank: place for ranks in lists for place, rank in enumerate(ranks)}
            if len(position) == world and max(map(len, lists)) > 1 and position not in self.position:
                self.roles.append(role)
                self.position.append(position)
        for by_itself in range(len(self.roles) - 1, -1, -1):  # a family that others make up together says nothing
            others = [k for k in range(len(self.roles)) if k != by_itself]
            if others and self._tells_apart(others) == self._tells_apart(range(len(self.roles))):
                del self.roles[by_itself], self.position[by_itself]

    def _tells_apart(self, families):
        return len({tuple(self.position[k][rank] for k in families) for rank in range(self.world)})

    def of(self, rank):
        return tuple(position[rank] for position in self.position)


def _stretches(positions, tell):
    """{position: the one that stands for it} of one family, `tell(position)` the signature there."""
    stands = {}

    def split(low, high):
        if tell(positions[low]) == tell(positions[high]):
            for place in range(low, high + 1):
                stands.setdefault(positions[place], positions[low])
        elif high - low == 1:
            stands.setdefault(positions[low], positions[low])
            stands.setdefault(positions[high], positions[high])
        else:
            middle = (low + high) // 2
            split(low, middle)
            split(middle, high)

    split(0, len(positions) - 1)
    alike = {}  # stretches apart may be of one class all the same
    for position in positions:
        owner = stands[position]
        stands[position] = alike.setdefault(tell(owner), owner)
    return stands


def find_classes(families, signature):
    """{representative: ranks, ascending}. `signature(rank)` traces a rank; called once for each rank it needs."""
    known, first, twins = {}, {}, {}

    def tell(rank):
        if rank not in known:
            known[rank] = signature(rank)
        return known[rank]

    tree = {}  # {position: ... {position: rank}}; ranks at one place are twins
    for rank in range(families.world):
        at, branch = families.of(rank), tree
        for position in at[:-1]:
            branch = branch.setdefault(position, {})
        if at:
            branch.setdefault(at[-1], rank)
        twins.setdefault(first.setdefault(at, rank), []).append(rank)
    owner = _owners(tree, families.roles, tell) if families.roles else {0: 0}
    classes = {}
    for rank, alike in twins.items():
        classes.setdefault(owner[rank], []).extend(alike)
    return _joined(classes, tell)


def _owners(branch, roles, tell):
    """{rank: the one that stands for it} below `branch`, which parts by the first of `roles`."""
    if not roles:
        return {branch: branch}
    positions = sorted(branch)
    if roles[0] == "pipeline" or len(positions) == 1:
        stands = {position: position for position in positions}
    else:
        stands = _stretches(positions, lambda position: tell(_first_rank(branch[position])))
    below = {position: _owners(branch[position], roles[1:], tell) for position in set(stands.values())}
    owners = {}
    for position in positions:
        _mirror(branch[position], branch[stands[position]], below[stands[position]], owners)
    return owners


def _first_rank(branch):
    while isinstance(branch, dict):
        branch = branch[min(branch)]
    return branch


def _mirror(branch, like, owners_there, owners):
    """Ranks below `branch` are stood for as those in the same places below `like`; by themselves where it has none."""
    if not isinstance(branch, dict):
        owners[branch] = branch if like is None else owners_there[like]
        return
    for position, part in branch.items():
        _mirror(part, None if like is None else like.get(position), owners_there, owners)


def _joined(classes, tell):
    """Classes whose representatives turned out alike are one."""
    first, joined = {}, {}
    for rank in sorted(classes):
        joined.setdefault(first.setdefault(tell(rank), rank), []).extend(classes[rank])
    return {rank: sorted(ranks) for rank, ranks in joined.items()}


def mesh_families(names_and_roles, ranks, shape):
    """[(role, lists)] of a device mesh: `ranks` row-major over `shape`; `names_and_roles`: a role a dimension."""
    families = []
    for dimension, role in enumerate(names_and_roles):
        others = [range(size) for k, size in enumerate(shape) if k != dimension]
        lists = []
        for rest in itertools.product(*others):
            at = [list(rest[:dimension]) + [place] + list(rest[dimension:]) for place in range(shape[dimension])]
            lists.append([ranks[_flat(place, shape)] for place in at])
        families.append((role, lists))
    return families


def _flat(place, shape):
    index = 0
    for coordinate, size in zip(place, shape):
        index = index * size + coordinate
    return index
