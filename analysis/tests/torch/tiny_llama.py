"""Llama's layer in plain PyTorch, at the size of the sweep's `tiny-llama`, in the layouts that are laid beside it: sweeps/traced/generator.toml.

Queries, keys and values are one product, gate and up another, as the generator has them. Every layout is a function that
runs as one rank of a job and returns what does a step, for echo_sweep.tracer.trace_step.
"""

import contextlib

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

HIDDEN, HEADS, INNER, VOCABULARY, LAYERS = 512, 8, 1536, 2048, 4
SAMPLES, TOKENS = 2, 256
ROWS = SAMPLES * TOKENS
HEAD = HIDDEN // HEADS
LAYER_WEIGHTS = 4 * HIDDEN * HIDDEN + 3 * HIDDEN * INNER + 2 * HIDDEN
TABLE = VOCABULARY * HIDDEN
WEIGHTS = LAYERS * LAYER_WEIGHTS + 2 * TABLE + HIDDEN


def rotate(x, cosine, sine):
    left, right = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-right, left), dim=-1) * sine


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries_keys_values = nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.out = nn.Linear(HIDDEN, HIDDEN, bias=False)

    def forward(self, x, cosine, sine):
        samples, tokens, _ = x.shape
        parts = self.queries_keys_values(x).chunk(3, dim=-1)
        query, key, value = (part.reshape(samples, tokens, -1, HEAD).transpose(1, 2) for part in parts)
        query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(samples, tokens, -1))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_up = nn.Linear(HIDDEN, 2 * INNER, bias=False)
        self.down = nn.Linear(INNER, HIDDEN, bias=False)

    def forward(self, x):
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.attention = nn.RMSNorm(HIDDEN), Attention()
        self.second_norm, self.net = nn.RMSNorm(HIDDEN), FeedForward()

    def forward(self, x, cosine, sine):
        x = x + self.attention(self.norm(x), cosine, sine)
        return x + self.net(self.second_norm(x))


class Part(nn.Module):
    """Some layers, with the embedding before them or the head after them."""

    def __init__(self, layers=LAYERS, first=True, last=True):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, HIDDEN) if first else None
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.norm = nn.RMSNorm(HIDDEN) if last else None
        self.head = nn.Linear(HIDDEN, VOCABULARY, bias=False) if last else None
        self.register_buffer("cosine", torch.zeros(TOKENS, HEAD), persistent=False)
        self.register_buffer("sine", torch.zeros(TOKENS, HEAD), persistent=False)

    def forward(self, x):
        if self.embedding is not None:
            x = self.embedding(x)
        for layer in self.layers:
            x = layer(x, self.cosine, self.sine)
        return x if self.head is None else self.head(self.norm(x))


def loss_of(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())


def tokens(samples=SAMPLES):
    return torch.randint(0, VOCABULARY, (samples, TOKENS)).cuda()


def _step(model, clip=True, within=contextlib.nullcontext, loss=loss_of):
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        ids = tokens()
        with within():
            value = loss(model(ids), ids)
            value.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


def single():
    return _step(Part().cuda().bfloat16())


def data_parallel():
    dist.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(Part().cuda(), device_ids=[0], broadcast_buffers=False)
    return _step(model, within=lambda: torch.autocast("cuda", dtype=torch.bfloat16))


def fully_sharded():
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("dp",))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = Part().cuda()
    for layer in model.layers:
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    return _step(model)


def tensor_parallel():
    """Sequence parallel between the products, as PyTorch's tutorial on tensor parallelism lays it out."""
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                                   loss_parallel, parallelize_module)

    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = Part().cuda().bfloat16()
    whole = {"input_layouts": (Shard(1),), "desired_input_layouts": (Replicate(),)}
    parallelize_module(model, mesh, {
        "embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)), "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False)})
    for layer in model.layers:
        parallelize_module(layer, mesh, {
            "norm": SequenceParallel(), "second_norm": SequenceParallel(), "net": PrepareModuleInput(**whole),
            "attention": PrepareModuleInput(input_layouts=(Shard(1), None, None),
                                            desired_input_layouts=(Replicate(), None, None)),
            "attention.queries_keys_values": ColwiseParallel(), "attention.out": RowwiseParallel(output_layouts=Shard(1)),
            "net.gate_up": ColwiseParallel(), "net.down": RowwiseParallel(output_layouts=Shard(1))})
    return _step(model, clip=False, within=loss_parallel, loss=lambda logits, ids: F.cross_entropy(
        logits.flatten(0, 1), ids.flatten()))


def pipeline(microbatches=4):
    """One stage a rank, one forward one backward."""
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    dist.init_process_group("nccl")
    rank, stages = dist.get_rank(), dist.get_world_size()
    first, last = rank == 0, rank == stages - 1
    model = Part(LAYERS // stages, first, last).cuda().bfloat16()

    def between(width):
        return torch.zeros(SAMPLES, TOKENS, width, dtype=torch.bfloat16, device="cuda", requires_grad=True)

    stage = PipelineStage(model, rank, stages, torch.device("cuda"), output_args=(between(VOCABULARY if last else HIDDEN),),
                          input_args=(tokens() if first else between(HIDDEN),))
    schedule = Schedule1F1B(stage, microbatches, loss_fn=loss_of)
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        ids = tokens(SAMPLES * microbatches)
        schedule.step(*([ids] if first else []), **({"target": ids} if last else {}))
        optimizer.step()
        optimizer.zero_grad()

    return step


def context_parallel(rotation="alltoall"):
    """Ring attention, gradients summed over the ring."""
    from torch.distributed.tensor import experimental
    from torch.distributed.tensor.experimental._attention import set_rotate_method

    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("cp",))
    set_rotate_method(rotation)
    model = Part().cuda().bfloat16()
    reduced = nn.parallel.DistributedDataParallel(model, process_group=mesh.get_group(), broadcast_buffers=False)
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        ids, labels = tokens(), tokens()
        with experimental.context_parallel(mesh, buffers=[ids, labels, model.cosine, model.sine],
                                           buffer_seq_dims=[1, 1, 0, 0]):
            loss_of(reduced(ids), labels).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step
