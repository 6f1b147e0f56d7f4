"""Communication ops of PyTorch: c10d's own, as process groups issue them, and the functional ones of compiled code and
DTensor. Payloads as nccl-tests counts them: the larger buffer of all-gather and reduce-scatter, what a rank sends of
all-to-all, else the buffer."""

from typing import NamedTuple

import torch
import torch.distributed as dist

# op: (kind, arguments that are read, arguments that are written, arguments whose bytes are the payload)
C10D = {
    "allreduce_": ("all_reduce", ["tensors"], ["tensors"], ["tensors"]),
    "allreduce_coalesced_": ("all_reduce", ["tensors"], ["tensors"], ["tensors"]),
    "broadcast_": ("broadcast", ["tensors"], ["tensors"], ["tensors"]),
    "reduce_": ("reduce", ["tensors"], ["tensors"], ["tensors"]),
    "allgather_": ("all_gather", ["input_tensors"], ["output_tensors"], ["output_tensors"]),
    "allgather_coalesced_": ("all_gather", ["input_list"], ["output_lists"], ["output_lists"]),
    "_allgather_base_": ("all_gather", ["input_tensor"], ["output_tensor"], ["output_tensor"]),
    "allgather_into_tensor_coalesced_": ("all_gather", ["inputs"], ["outputs"], ["outputs"]),
    "reduce_scatter_": ("reduce_scatter", ["input_tensors"], ["output_tensors"], ["input_tensors"]),
    "_reduce_scatter_base_": ("reduce_scatter", ["input_tensor"], ["output_tensor"], ["input_tensor"]),
    "reduce_scatter_tensor_coalesced_": ("reduce_scatter", ["inputs"], ["outputs"], ["inputs"]),
    "alltoall_": ("all_to_all", ["input_tensors"], ["output_tensors"], ["input_tensors"]),
    "alltoall_base_": ("all_to_all", ["input"], ["output"], ["input"]),
    "send": ("send", ["tensors"], [], ["tensors"]),
    "recv_": ("recv", [], ["tensors"], ["tensors"]),
}
# op: (kind, what its payload is measured on)
FUNCTIONAL = {
    "all_reduce": ("all_reduce", "input"), "all_reduce_": ("all_reduce", "input"),
    "all_reduce_coalesced": ("all_reduce", "input"), "all_reduce_coalesced_": ("all_reduce", "input"),
    "all_gather_into_tensor": ("all_gather", "output"), "all_gather_into_tensor_out": ("all_gather", "output"),
    "all_gather_into_tensor_coalesced": ("all_gather", "output"),
    "reduce_scatter_tensor": ("reduce_scatter", "input"), "reduce_scatter_tensor_out": ("reduce_scatter", "input"),
    "reduce_scatter_tensor_coalesced": ("reduce_scatter", "input"),
    "all_to_all_single": ("all_to_all", "input"), "shard_dim_alltoall": ("all_to_all", "input"),
    "broadcast": ("broadcast", "input"), "broadcast_": ("broadcast", "input"),
    "isend": ("send", "input"), "irecv": ("recv", "input"),
}
FUNCTIONAL_SPACES = ("_c10d_functional", "_c10d_functional_autograd", "_dtensor")


class Communication(NamedTuple):
    kind: str       # of trace_file.COLLECTIVES, or send, recv
    group: object   # ProcessGroup
    reads: list     # tensors, a list for each transfer
    writes: list
    payload: list   # tensors, a list for each transfer
    peer: int = -1  # global rank
    tag: int = 0
    is_async: bool = True
    mine: object = None  # tensors of this rank that its peers would send, for those that are not fake


def named_arguments(func, args, kwargs):
    """{argument of the schema: value}, defaults included."""
    schema = func._schema.arguments
    values = {a.name: a.default_value for a in schema if a.has_default_value()}
    values.update((a.name, value) for a, value in zip(schema, args))
    return values | (kwargs or {})


def flat(values):
    if isinstance(values, torch.Tensor):
        return [values]
    return [t for value in values for t in flat(value)] if isinstance(values, (list, tuple)) else []


def _transfers(values, coalesced):
    """Lists of the tensors that go out as one. A coalesced op has a transfer for each of its list."""
    return [flat(value) for value in values] if coalesced else [flat(values)]


def _global(group, rank_in_group):
    return dist.get_global_rank(group, int(rank_in_group)) if int(rank_in_group) >= 0 else -1


def c10d_communication(name, arguments):
    """Of an op `c10d::name`; None of barriers, which move nothing, and of what is not known."""
    if name not in C10D:
        return None
    kind, read, written, measured = C10D[name]
    group = dist.ProcessGroup.unbox(arguments["process_group"])
    peer = next((arguments[word] for word in ("root_rank", "dst", "src") if word in arguments), -1)
    parts = [_transfers([t for word in words for t in arguments[word]] if isinstance(arguments[words[0]], (list, tuple))
                        else arguments[words[0]], "coalesced" in name) if words else None
             for words in (read, written, measured)]
    count = len(parts[2])
    return Communication(kind, group, parts[0] or [[]] * count, parts[1] or [[]] * count, parts[2], _global(group, peer),
                         int(arguments.get("tag", 0)), bool(arguments.get("async_op", True)))


def functional_communication(name, arguments, result):
    """Of a functional op, once it ran. None of what moves nothing, such as wait_tensor."""
    if name not in FUNCTIONAL:
        return None
    kind, measured = FUNCTIONAL[name]
    group = arguments["group_name"]
    group = group if isinstance(group, dist.ProcessGroup) else dist.distributed_c10d._resolve_process_group(group)
    source = arguments.get("input", arguments.get("inputs", arguments.get("tensor")))
    coalesced = "coalesced" in name
    reads, writes = _transfers(source, coalesced), _transfers(result, coalesced)
    if kind == "recv":
        reads, writes = [[]] * len(reads), reads
    elif kind == "send":
        writes = [[]] * len(reads)
    payload = _transfers(source, coalesced) if measured == "input" else writes
    peer = next((arguments[word] for word in ("src", "dst") if word in arguments), -1)
    return Communication(kind, group, reads, writes, payload, _global(group, peer), int(arguments.get("tag", 0) or 0))


def batched_messages(arguments, result):
    """Of _c10d_functional::batch_p2p_ops, a Communication each."""
    group = dist.distributed_c10d._resolve_process_group(arguments["group_name"])
    sent, received = arguments["tensors"], flat(result)
    messages = []
    for place, (kind, peer, tag) in enumerate(zip(arguments["op_list"], arguments["peer_list"], arguments["tag_list"])):
        here = sent[place]
        if "send" in kind:
            messages.append(Communication("send", group, [[here]], [[]], [[here]], _global(group, peer), int(tag)))
        else:
            into = received[place] if len(received) == len(sent) else here
            messages.append(Communication("recv", group, [[]], [[into]], [[into]], _global(group, peer), int(tag)))
    return messages


def pretend(name, arguments):
    """What a c10d op leaves in tensors with values, peers being like this rank: the host code of a program reads it."""
    if name in ("allgather_", "_allgather_base_", "alltoall_base_", "alltoall_", "reduce_scatter_", "_reduce_scatter_base_"):
        _, read, written, _ = C10D[name]
        sources, targets = flat(arguments[read[0]]), flat(arguments[written[0]])
        if name.startswith("alltoall"):
            sources = [_to_itself(sources, arguments)]
        for place, target in enumerate(targets):
            source = sources[min(place, len(sources) - 1)].reshape(-1)
            into = target.view(-1) if target.is_contiguous() else target.reshape(-1)
            times = -(-into.numel() // max(1, source.numel()))
            into.copy_(source.repeat(times)[:into.numel()].to(into.dtype))


def _to_itself(sources, arguments):
    """What a rank sends to itself of an all-to-all, and so every peer to it."""
    group = dist.ProcessGroup.unbox(arguments["process_group"])
    if len(sources) > 1:
        return sources[group.rank()]
    sizes = arguments.get("input_split_sizes") or [sources[0].shape[0] // group.size()] * group.size()
    return sources[0][sum(sizes[:group.rank()]):sum(sizes[:group.rank() + 1])]
