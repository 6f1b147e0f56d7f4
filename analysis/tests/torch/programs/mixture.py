"""A user's script: a mixture of experts in plain PyTorch, experts spread over all ranks, tokens sent by all_to_all_single
with as many rows for each rank as the router decides."""

import torch
import torch.distributed as dist
from torch import nn

HIDDEN, EXPERTS, CHOICES, TOKENS = 64, 8, 2, 96


class Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, sent, received):
        ctx.counts = sent, received
        out = rows.new_empty(sum(received), rows.shape[1])
        dist.all_to_all_single(out, rows.contiguous(), received, sent)
        return out

    @staticmethod
    def backward(ctx, gradient):
        sent, received = ctx.counts
        return Exchange.apply(gradient, received, sent), None, None


class Mixture(nn.Module):
    def __init__(self, ranks):
        super().__init__()
        self.ranks, self.local = ranks, EXPERTS // ranks
        self.router = nn.Linear(HIDDEN, EXPERTS, bias=False)
        self.experts = nn.ModuleList(nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(self.local))

    def forward(self, x):
        weights, chosen = self.router(x).softmax(-1).topk(CHOICES, dim=-1)
        order = chosen.flatten().argsort(stable=True)
        counts = torch.bincount(chosen.flatten(), minlength=EXPERTS)
        arriving = torch.empty_like(counts)
        dist.all_to_all_single(arriving, counts)
        sent = counts.view(self.ranks, -1).sum(1).tolist()
        received = arriving.view(self.ranks, -1).sum(1).tolist()
        rows = Exchange.apply(x[order // CHOICES], sent, received)
        owners = torch.arange(self.local, device=x.device).repeat(self.ranks)
        experts = owners.repeat_interleave(arriving)
        out = torch.zeros_like(rows)
        for place, expert in enumerate(self.experts):
            mine = (experts == place).nonzero().squeeze(1)
            out = out.index_copy(0, mine, expert(rows[mine]))
        back = Exchange.apply(out, received, sent)
        mixed = torch.zeros_like(x).index_add(0, order // CHOICES, back * weights.flatten()[order].unsqueeze(1))
        return x + mixed


dist.init_process_group("nccl")
layers = nn.Sequential(Mixture(dist.get_world_size()), Mixture(dist.get_world_size())).cuda().bfloat16()
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for _ in range(3):
    layers(torch.randn(TOKENS, HIDDEN, device="cuda", dtype=torch.bfloat16)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
