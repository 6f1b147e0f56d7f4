"""A plain Llama in PyTorch: weights in 32 bit, products in 16 bit by autocast, as DistributedDataParallel's users write it.

Queries, keys and values are one product, gate and up another, as the generator of echo-sweep has them.
"""

import torch
import torch.nn.functional as F
from torch import nn


def rotate(x, cosine, sine):
    left, right = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-right, left), dim=-1) * sine


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.head = size["hidden"] // size["heads"]
        self.queries_keys_values = nn.Linear(size["hidden"], 3 * size["hidden"], bias=False)
        self.out = nn.Linear(size["hidden"], size["hidden"], bias=False)

    def forward(self, x, cosine, sine):
        samples, tokens, _ = x.shape
        parts = self.queries_keys_values(x).chunk(3, dim=-1)
        query, key, value = (part.reshape(samples, tokens, -1, self.head).transpose(1, 2) for part in parts)
        query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(samples, tokens, -1))


class FeedForward(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gate_up = nn.Linear(size["hidden"], 2 * size["inner"], bias=False)
        self.down = nn.Linear(size["inner"], size["hidden"], bias=False)

    def forward(self, x):
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm, self.attention = nn.RMSNorm(size["hidden"]), Attention(size)
        self.second_norm, self.net = nn.RMSNorm(size["hidden"]), FeedForward(size)

    def forward(self, x, cosine, sine):
        x = x + self.attention(self.norm(x), cosine, sine)
        return x + self.net(self.second_norm(x))


class Llama(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embedding = nn.Embedding(size["vocabulary"], size["hidden"])
        self.layers = nn.ModuleList(Layer(size) for _ in range(size["layers"]))
        self.norm = nn.RMSNorm(size["hidden"])
        self.head = nn.Linear(size["hidden"], size["vocabulary"], bias=False)
        cosine, sine = turns(size["tokens"], size["hidden"] // size["heads"])
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, self.cosine, self.sine)
        return self.head(self.norm(x))


def turns(tokens, head):
    """Cosine and sine by which RoPE turns each pair of channels at each position, in 16 bit: queries stay in 16 bit."""
    rates = 10000.0 ** (-torch.arange(0, head, 2, dtype=torch.float32) / head)
    angles = torch.outer(torch.arange(tokens, dtype=torch.float32), rates).repeat(1, 2)
    return angles.cos().bfloat16(), angles.sin().bfloat16()


def loss_of(logits, ids):
    return F.cross_entropy(logits.flatten(0, 1).float(), ids.flatten())
