"""A user's script: pipeline stages of unlike depth times data parallel, of `--stages` stages, told apart by a mesh."""

import argparse
import pathlib

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

parser = argparse.ArgumentParser()
parser.add_argument("--stages", type=int, default=2)
parser.add_argument("--mark", help="a file to write where the script comes to its end")
given = parser.parse_args()
dist.init_process_group("nccl")
mesh = init_device_mesh("cuda", (given.stages, dist.get_world_size() // given.stages), mesh_dim_names=("pp", "dp"))
stage = mesh.get_local_rank("pp")
model = nn.Sequential(*[nn.Linear(64, 64) for _ in range(1 + stage % 3)]).cuda()
model = nn.parallel.DistributedDataParallel(model, process_group=mesh.get_group("dp"))
optimizer = torch.optim.AdamW(model.parameters())
pipeline, last = mesh.get_group("pp"), given.stages - 1
for _ in range(3):
    received = torch.zeros(8, 64, device="cuda", requires_grad=True)
    if stage > 0:
        dist.recv(received.data, group=pipeline, group_src=stage - 1)
    out = model(received)
    if stage < last:
        dist.send(out.detach(), group=pipeline, group_dst=stage + 1)
    out.sum().backward()
    optimizer.step()
    optimizer.zero_grad()
if given.mark:
    pathlib.Path(given.mark).write_text("done")
