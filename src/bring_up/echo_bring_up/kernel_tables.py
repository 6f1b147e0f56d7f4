"""Tables of kernels to measure, as echo-profile and echo-overlap read them (--kernels). Shapes are of one training step.

Overlaps: the layers of Llama 3 8B on 8192 tokens, and those of a mixture of experts on as many; sizes that a GPU of 24 GB holds.
"""

from .training.as_sweep import generated, presets

COLUMNS = ("kind", "precision", "layout", "causal", "gated", "grouped", "m", "n", "k", "batch", "groups")
DEFAULTS = {"precision": "bf16", "layout": "tn", "causal": "no", "gated": "no", "grouped": "no", "n": 1, "k": 1, "batch": 1,
            "groups": 1}
TOKENS, HIDDEN, INNER, HEADS, KEY_HEADS, HEAD = 8192, 4096, 14336, 32, 8, 128
EXPERTS, EXPERT_INNER, EXPERT_HIDDEN, EXPERT_TOKENS = 8, 2048, 4096, 2048  # per expert, of a mixture's share on one GPU


def table(kernels):
    lines = [",".join(COLUMNS)]
    lines += [",".join(str(dict(DEFAULTS, **kernel)[name]) for name in COLUMNS) for kernel in kernels]
    return "\n".join(lines) + "\n"


def product(m, n, k, **more):
    """Forward, input gradient and weight gradient of one linear layer: m tokens, k inputs, n outputs."""
    return [dict(kind="gemm", m=m, n=n, k=k, **more), dict(kind="gemm", layout="nn", m=m, n=k, k=n, **more),
            dict(kind="gemm", layout="nt", m=n, n=k, k=m, **more)]


def attention(tokens, samples=1):
    shape = dict(m=tokens, n=tokens, k=HEAD, batch=HEADS * samples, groups=KEY_HEADS * samples, causal="yes")
    return [dict(kind="attention_forward", **shape), dict(kind="attention_backward", **shape)]


FAMILIES = {
    "products": product(TOKENS, (HEADS + 2 * KEY_HEADS) * HEAD, HIDDEN) + product(TOKENS, HIDDEN, HEADS * HEAD)
    + product(TOKENS, 2 * INNER, HIDDEN) + product(TOKENS, HIDDEN, INNER),
    "attention": attention(TOKENS) + attention(2048, 4),
    "grouped": product(EXPERT_TOKENS, 2 * EXPERT_INNER, EXPERT_HIDDEN, batch=EXPERTS, grouped="yes")
    + product(EXPERT_TOKENS, EXPERT_HIDDEN, EXPERT_INNER, batch=EXPERTS, grouped="yes"),
    "norms": [dict(kind="norm_forward", m=TOKENS, n=HIDDEN), dict(kind="norm_backward", m=TOKENS, n=HIDDEN),
              dict(kind="residual_forward", m=TOKENS, n=HIDDEN), dict(kind="rope", m=TOKENS, n=HIDDEN),
              dict(kind="activation_forward", m=TOKENS, n=INNER, gated="yes"),
              dict(kind="activation_backward", m=TOKENS, n=INNER, gated="yes")],
}


def family(name):
    return table(FAMILIES[name])


def self_test():
    """One kernel of each mechanism: cuBLASLt, cuDNN, rows, streams."""
    return table([dict(kind="gemm", m=2048, n=2048, k=2048),
                  dict(kind="attention_forward", m=2048, n=2048, k=HEAD, batch=16, groups=16, causal="yes"),
                  dict(kind="norm_forward", m=4096, n=4096), dict(kind="residual_forward", m=4096, n=4096)])


def tiny_presets():
    return presets("tiny")


def tiny_sweep(cluster):
    return generated("tiny", cluster)
