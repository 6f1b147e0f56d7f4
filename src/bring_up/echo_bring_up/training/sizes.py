"""How large the Llama of the kit is. One owner: the PyTorch model and the sweep that predicts it are both made of this."""

SIZES = {
    # Llama's layer at the width of Llama 3.2 1B (hidden 2048, inner 8192, 16 layers), all heads with keys of their own, a
    # vocabulary of 32 000, embeddings untied: 1.2 G weights; 16 bytes each for weight, gradient and AdamW's two moments.
    "1b": {"layers": 16, "hidden": 2048, "heads": 32, "inner": 8192, "vocabulary": 32000, "tokens": 4096, "samples": 1},
    "1b-half": {"layers": 8, "hidden": 2048, "heads": 32, "inner": 8192, "vocabulary": 32000, "tokens": 2048, "samples": 1},
    "tiny": {"layers": 2, "hidden": 256, "heads": 4, "inner": 768, "vocabulary": 1024, "tokens": 128, "samples": 2},
}
# GiB of GPU memory that a step takes at most, by what it holds: states, 16-bit copies, activations, logits, and a reserve.
NEEDS_GIB = {"1b": 36, "1b-half": 17, "tiny": 1}


def weights(size):
    """Number of weights of the model of that size."""
    s = SIZES[size]
    layer = 4 * s["hidden"] ** 2 + 3 * s["hidden"] * s["inner"] + 2 * s["hidden"]
    return s["layers"] * layer + 2 * s["vocabulary"] * s["hidden"] + s["hidden"]


def largest_that_fits(gib):
    """The name of the largest size for a GPU with this much memory; None where even half of it does not fit."""
    for name in ("1b", "1b-half"):
        if gib >= NEEDS_GIB[name]:
            return name
    return None
