"""PyTorch's own ProcessGroupNCCL, DDP and FSDP under libecho_nccl.so, on a CUDA that does nothing: what a rank of many
asks of NCCL. Needs a CUDA wheel of PyTorch, a C compiler and ECHO_NCCL, a libecho_nccl.so; no GPU."""

import os
import pathlib
import subprocess
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2]), str(pathlib.Path(__file__).resolve().parent)]

pytest.importorskip("torch.distributed")  # a folder of tests is called torch, too
import idle_cuda  # noqa: E402
import torch  # noqa: E402

from echo_sweep.tracer import exsitu  # noqa: E402

pytestmark = pytest.mark.skipif("ECHO_NCCL" not in os.environ, reason="ECHO_NCCL names no libecho_nccl.so")


@pytest.fixture(scope="module")
def idle(tmp_path_factory):
    built = idle_cuda.build(pathlib.Path(torch.__file__).parent, tmp_path_factory.mktemp("idle_cuda"))
    if built is None:
        pytest.skip("no CUDA wheel of PyTorch, or no C compiler")
    return built


@pytest.fixture
def trace(idle, tmp_path, monkeypatch):
    preload, library_path = idle
    monkeypatch.setenv("ECHO_EXSITU_LIBRARIES", os.path.dirname(os.environ["ECHO_NCCL"]))
    monkeypatch.setenv("LD_PRELOAD", str(preload))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library_path))

    def run(program, rank, world):
        (tmp_path / "train.py").write_text(program)
        return exsitu.run([sys.executable, str(tmp_path / "train.py")], rank, world, tmp_path / "t.jsonl", gpu=False)

    return run


MODEL = """
import torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("nccl")

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(256, 1024), nn.Linear(1024, 256)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))

with torch.device("cuda"):
    model = nn.Sequential(*[Block() for _ in range(3)])

def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        model(torch.empty(8, 256, device="cuda")).sum().backward()
        optimizer.step()
    dist.destroy_process_group()
"""
BLOCK = 4 * (256 * 1024 + 1024 + 1024 * 256 + 256)  # bytes of its parameters


@pytest.mark.parametrize("rank, world", [(0, 8), (37, 64), (1023, 1024)])
def test_ddp_reduces_each_gradient_once(trace, rank, world):
    found = trace(MODEL + "train(nn.parallel.DistributedDataParallel(model, bucket_cap_mb=3))", rank, world)
    nodes = found.ranks[0].nodes
    assert {(node.collective, node.pass_, node.group) for node in nodes} == {("all_reduce", "backward", "0")}
    assert sum(node.bytes for node in nodes) == 3 * BLOCK and len(nodes) == 2
    assert [group.ranks for group in found.groups] == [list(range(world))]
    assert found.gpu == "" and not found.notes


@pytest.mark.parametrize("rank, world", [(0, 8), (511, 1024)])
def test_fsdp2_gathers_forward_and_backward_and_scatters_gradients(trace, rank, world):
    found = trace(MODEL + """
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("dp_shard",))
for block in model:
    fully_shard(block, mesh=mesh)
fully_shard(model, mesh=mesh)
train(model)
""", rank, world)
    nodes = found.ranks[0].nodes
    assert [(node.collective, node.pass_) for node in nodes] == [("all_gather", "forward")] * 3 + [
        ("all_gather", "backward"), ("all_gather", "backward"), ("reduce_scatter", "backward"), ("all_gather", "backward"),
        ("reduce_scatter", "backward"), ("reduce_scatter", "backward")]
    # Shards are padded to whole rows of each tensor.
    assert all(node.bytes >= BLOCK for node in nodes) and (world > 8 or all(node.bytes == BLOCK for node in nodes))
    assert len({node.stream for node in nodes}) == 2  # gathers beside scatters


GROUPS = """
import torch, torch.distributed as dist
dist.init_process_group("nccl")
tensor = dist.new_group(list(range(32, 40)), group_desc="tp")
data = dist.new_group(list(range(5, 64, 8)), group_desc="dp")
dist.new_group([0, 1])
own, all = torch.empty(16, device="cuda"), torch.empty(128, device="cuda")
dist.all_reduce(own)
dist.all_reduce(own, group=tensor)
dist.all_gather_into_tensor(all, own, group=data)
dist.reduce_scatter_tensor(own, all, group=tensor)
dist.all_to_all_single(torch.empty(16, device="cuda"), own, group=tensor)
dist.all_to_all_single(torch.empty(16, device="cuda"), own, [2] * 8, [2] * 8, group=data)
dist.send(own, 38)
dist.recv(own, 36)
for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, own, 45, group=data), dist.P2POp(dist.irecv, own, 29, group=data)]):
    work.wait()
dist.broadcast(own, 32, group=tensor)
numbers = [torch.empty(1, dtype=torch.int64, device="cuda") for _ in range(8)]
dist.all_gather(numbers, torch.tensor([7], device="cuda"), group=tensor)
assert [int(n) for n in numbers] == [7] * 8, numbers
counts = torch.tensor(list(range(8)), device="cuda")
received = torch.empty_like(counts)
dist.all_to_all_single(received, counts, group=data)
assert received.tolist() == counts.tolist()
dist.barrier()
torch.cuda.synchronize()
"""


def test_groups_peers_and_launches_are_those_of_the_program(trace):
    found = trace(GROUPS, 37, 64)
    groups = found.group_named()
    told = [(node.kind, node.collective, groups[node.group].ranks[:2], node.bytes, node.peer, node.launch)
            for node in found.ranks[0].nodes]
    world, tensor, data = [0, 1], [32, 33], [5, 13]
    assert told[:6] == [
        ("collective", "all_reduce", world, 64, -1, -1), ("collective", "all_reduce", tensor, 64, -1, -1),
        ("collective", "all_gather", data, 512, -1, -1), ("collective", "reduce_scatter", tensor, 512, -1, -1),
        ("collective", "all_to_all", tensor, 64, -1, -1), ("collective", "all_to_all", data, 64, -1, -1)]
    sends = [entry for entry in told if entry[0] != "collective"]
    assert [(kind, payload, peer, launch >= 0) for kind, _, _, payload, peer, launch in sends] == [
        ("send", 64, 38, False), ("recv", 64, 36, False), ("send", 64, 45, True), ("recv", 64, 29, True)]
    assert ("collective", "broadcast", tensor, 64, 32, -1) in told
    assert {groups[name].role for name in groups} == {"unknown", "tensor", "data"}
    assert not found.notes


MEGATRON = """
import torch, torch.distributed as dist
from megatron.core import parallel_state
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.models.gpt.gpt_model import GPTModel
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.tensor_parallel.random import model_parallel_cuda_manual_seed
from megatron.core.transformer.transformer_config import TransformerConfig
dist.init_process_group("nccl")
parallel_state.initialize_model_parallel(tensor_model_parallel_size=2, pipeline_model_parallel_size=2)
model_parallel_cuda_manual_seed(1)
config = TransformerConfig(
    num_layers=4, hidden_size=256, num_attention_heads=8, tensor_model_parallel_size=2, pipeline_model_parallel_size=2,
    pipeline_dtype=torch.bfloat16, bf16=True, params_dtype=torch.bfloat16, bias_dropout_fusion=False,
    masked_softmax_fusion=False, gradient_accumulation_fusion=False, use_cpu_initialization=True,
    perform_initialization=False, attention_dropout=0.0, hidden_dropout=0.0)
model = GPTModel(config, get_gpt_layer_local_spec(), vocab_size=1024, max_sequence_length=128,
                 pre_process=parallel_state.is_pipeline_first_stage(),
                 post_process=parallel_state.is_pipeline_last_stage()).cuda().bfloat16()
model = DistributedDataParallel(config, DistributedDataParallelConfig(overlap_grad_reduce=False), model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def forward(_, model):
    tokens = torch.zeros(2, 128, dtype=torch.long, device="cuda")
    mask = torch.zeros(1, 1, 128, 128, dtype=torch.bool, device="cuda")
    return model(tokens, tokens, mask, labels=tokens), lambda output: (output.float().mean(), {})

for _ in range(3):
    model.zero_grad_buffer()
    get_forward_backward_func()(forward_step_func=forward, data_iterator=None, model=model, num_microbatches=2,
                                seq_length=128, micro_batch_size=2, forward_only=False)
    model.finish_grad_sync()
    optimizer.step()
"""


def megatron_layers(pass_, count):
    return [("all_reduce", "tensor", 2 * 128 * 2 * 256, pass_)] * count


def test_megatrons_last_stage_of_two_runs_1f1b(trace):
    """Rank 37 of 64, tp 2, pp 2, dp 16: two of four layers, the loss over a split vocabulary, two microbatches."""
    pytest.importorskip("megatron.core")
    found = trace(MEGATRON, 37, 64)
    groups = found.group_named()
    assert {group.role: group.ranks for group in found.groups} == {
        "tensor": [36, 37], "pipeline": [5, 37], "data": list(range(33, 64, 2))}
    told = [(node.collective or node.kind, groups[node.group].role, node.bytes, node.pass_) for node in found.ranks[0].nodes]
    hop = 2 * 128 * 2 * 256  # bytes of activations of a microbatch
    microbatch = megatron_layers("forward", 4) + [("all_reduce", "tensor", 4 * 128 * 2, "forward")] * 3 + \
        megatron_layers("backward", 5)  # 5: the vocabulary's product has one, too
    gradients = told[-1]
    assert gradients[:2] == ("all_reduce", "data")
    assert told[:-1] == [("recv", "pipeline", hop, "forward"), *microbatch, ("send", "pipeline", hop, "forward"),
                         ("recv", "pipeline", hop, "forward"), *microbatch, ("send", "pipeline", hop, "forward")]
    launches = [node.launch for node in found.ranks[0].nodes if node.kind != "collective"]
    assert launches[1] == launches[2] >= 0 and launches[0] == launches[3] == -1  # the steady state sends and receives at once
