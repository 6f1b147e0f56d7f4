"""What names of groups say of their purpose, and how ranks are spelled in names."""

# Words in a group's description or a mesh dimension's name; the first of the name that is known decides. Descriptions of
# Megatron-Core's groups: core/parallel_state.py; mesh dimensions as PyTorch's tutorials and torchtitan call them.
ROLE_WORDS = {"expert": ("ep", "expert", "etp"), "context": ("cp", "context", "ring", "ulysses"),
              "shard": ("fsdp", "shard", "zero", "hsdp"), "pipeline": ("pp", "pipe", "pipeline", "stage"),
              "tensor": ("tp", "tensor", "mp", "sp"), "data": ("dp", "ddp", "data", "replicate")}


def role_of_words(text):
    """Of a name such as `mesh_dp_shard` or `DATA_PARALLEL_GROUP_WITH_CP`."""
    words = text.lower().replace("-", "_").removeprefix("mesh_").split("_")
    if "dp" in words and "shard" in words:
        return "shard"
    for word in words:
        for role, telling in ROLE_WORDS.items():
            if word in telling:
                return role
    return "unknown"


def spelled(ranks):
    """0-7, 0-12/4 (every fourth), 0,1,5, or first and last of many with a number that tells them from others."""
    steps = {b - a for a, b in zip(ranks, ranks[1:])}
    if len(ranks) > 2 and len(steps) == 1 and min(steps) > 0:
        step = steps.pop()
        return f"{ranks[0]}-{ranks[-1]}" + (f"/{step}" if step > 1 else "")
    if len(ranks) <= 8:
        return ",".join(map(str, ranks))
    return f"{ranks[0]}..{ranks[-1]}x{len(ranks)}.{hash(tuple(ranks)) % 10**9}"
