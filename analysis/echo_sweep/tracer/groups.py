"""Process groups as the trace names them: what each is for, and the families that place ranks (rank_classes.py)."""

import torch.distributed as dist

from .rank_classes import mesh_families
from .trace_file import Group

# Words in a group's description or a mesh dimension's name, the more telling ones first. Descriptions of
# Megatron-Core's groups: core/parallel_state.py; mesh dimensions as PyTorch's tutorials and torchtitan call them.
ROLE_WORDS = (("expert", ("ep", "expert", "etp")), ("context", ("cp", "context", "ring", "ulysses")),
              ("shard", ("fsdp", "shard", "zero", "dp_shard", "hsdp")), ("pipeline", ("pp", "pipe", "pipeline", "stage")),
              ("tensor", ("tp", "tensor", "mp", "sp")), ("data", ("dp", "ddp", "data", "replicate", "dp_replicate")))


def role_of_words(text):
    """What a name such as `mesh_dp_shard` or `DATA_PARALLEL_GROUP_WITH_CP` says: its first telling word decides."""
    words = text.lower().replace("mesh_", "").replace("-", "_").split("_")
    if "dp" in words and "shard" in words:
        return "shard"
    for word in words:
        for role, telling in ROLE_WORDS:
            if word in telling:
                return role
    return "unknown"


def spelled(ranks):
    """0-7, 0-12/4 (every fourth) or 0,1,5."""
    steps = {b - a for a, b in zip(ranks, ranks[1:])}
    if len(ranks) > 2 and len(steps) == 1 and min(steps) > 0:
        step = steps.pop()
        return f"{ranks[0]}-{ranks[-1]}" + (f"/{step}" if step > 1 else "")
    return ",".join(map(str, ranks)) if len(ranks) <= 8 else f"{ranks[0]}..{ranks[-1]}x{len(ranks)}.{hash(tuple(ranks)) % 10**6}"


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
