"""The small Llama of tiny_llama.py as further frameworks lay it out: sweeps/traced/frameworks.toml."""

import torch
import torch.distributed as dist
from tiny_llama import Layer, Part, _step, loss_of, tokens
from torch import nn


def _flat_parameters(strategy):
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    dist.init_process_group("nccl")
    torch.cuda.set_device(0)
    model = FullyShardedDataParallel(
        Part(), auto_wrap_policy=ModuleWrapPolicy({Layer}), device_id=torch.cuda.current_device(), use_orig_params=True,
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
        sharding_strategy=ShardingStrategy[strategy])
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        ids = tokens()
        loss_of(model(ids), ids).backward()
        model.clip_grad_norm_(1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


def flat_parameters():
    """FSDP1, weights gathered for each pass."""
    return _flat_parameters("FULL_SHARD")


def flat_parameters_kept():
    """FSDP1, weights kept from forward to backward."""
    return _flat_parameters("SHARD_GRAD_OP")


def compiled():
    """The model as one graph, under DDP and autocast."""
    dist.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(torch.compile(Part().cuda()), device_ids=[0], broadcast_buffers=False)
    return _step(model, within=lambda: torch.autocast("cuda", dtype=torch.bfloat16))


def compiled_layers():
    """Each layer by itself, before FSDP2 shards it, as torchtitan does."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("dp",))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = Part().cuda()
    for layer in model.layers:
        layer.compile()
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    return _step(model)
