"""Process groups as the trace names them: what each is for, and the families that place ranks (rank_classes.py)."""

import torch.distributed as dist

from .group_words import role_of_words, spelled
from .rank_classes import mesh_families
from .trace_file import Group


class Groups:
    """Groups that a communication used, and how ranks are grouped altogether."""

    def __init__(self, world):
        self.world = world
        self._roles = {}     # c10d name: role, by who uses it
        self._suggested = {}
        self._used = {}      # c10d name: Group
        self._labels = {}    # label: how many groups have it
        self._families = {}  # description: [ranks of each group], of new_group
        self._meshes = []    # (dimension names, ranks, shape)

    def note_role(self, group, role):
        self._roles[group.group_name] = role
        if group.group_name in self._used:
            self._used[group.group_name].role = role

    def suggest_role(self, group, role):
        """By its name: what uses it knows better."""
        if role != "unknown" and group is not None:
            self._suggested[group.group_name] = role

    def note_new_group(self, ranks, description):
        ranks = list(range(self.world)) if ranks is None else sorted(ranks)
        listed = self._families.setdefault(description or "", [])
        if ranks not in listed:
            listed.append(ranks)

    def note_mesh(self, names, ranks, shape):
        self._meshes.append((tuple(names or ("",) * len(shape)), tuple(ranks), tuple(shape)))

    def of(self, group):
        """The trace's group of a ProcessGroup."""
        name = group.group_name
        if name not in self._used:
            ranks = [rank for rank, _ in sorted(dist.distributed_c10d._world.pg_group_ranks[group].items(),
                                                key=lambda item: item[1])]
            description = (getattr(group, "group_desc", "") or "group").removeprefix("mesh_")
            label = f"{'world' if description == 'default_pg' else description}[{spelled(ranks)}]"
            self._labels[label] = self._labels.get(label, 0) + 1
            label += f"#{self._labels[label]}" if self._labels[label] > 1 else ""
            role = self._roles.get(name) or self._suggested.get(name) or role_of_words(description)
            self._used[name] = Group(label, role, ranks)
        return self._used[name]

    def used(self):
        return list(self._used.values())

    def families(self):
        """[(role, lists of ranks)]: meshes first, then what the program made by itself, then the world."""
        found = []
        for names, ranks, shape in self._meshes:
            if len(ranks) == self.world:
                found += mesh_families([role_of_words(name) for name in names], list(ranks), shape)
        for description, lists in self._families.items():
            found.append((role_of_words(description), lists))
        return found + [("data", [list(range(self.world))])]
