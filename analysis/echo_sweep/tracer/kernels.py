"""From a PyTorch op to the project's kernel key (src/ops/kernel.hpp), where its price depends on more than bytes.

Products and attention by shape; norms, activations, embeddings, softmax, dropout, the loss and the optimizer by the
kernels that the project prices; copies, casts and pointwise ops as copies of the bytes they move. What else an op is
has no key, and is told by its arithmetic and traffic. An op is named as PyTorch does, `aten.mm`, arguments by their
names in its schema.
"""

from .tensor_facts import TensorFacts, tensors_in

LARGEST = 2**31 - 1
PRECISIONS = ("bf16", "fp16", "fp32")
LAYOUTS = {(False, True): "tn", (False, False): "nn", (True, False): "nt", (True, True): "tn"}


def _sized(kind, precision, m, n=1, **more):
    """None where a number is none that a key can hold."""
    key = {"kind": kind, "precision": precision, "m": int(m), "n": int(n), **more}
    numbers = [value for value in key.values() if isinstance(value, int) and not isinstance(value, bool)]
    return key if precision in PRECISIONS + ("tf32", "fp8") and min(numbers) >= 1 and max(numbers) <= LARGEST else None


def _gemm(a, b, tf32):
    """a[.., m, k] b[.., k, n]. Layout: `tn` weight stored [n, k] (forward), `nn` input gradient, `nt` weight gradient."""
    batch = 1
    for size in a.shape[:-2]:
        batch *= size
    precision = "tf32" if a.dtype == "fp32" and tf32 else a.dtype
    return _sized("gemm", precision, a.shape[-2], b.shape[-1], k=a.shape[-1], batch=batch,
                  layout=LAYOUTS[a.is_transposed(), b.is_transposed()])


def _product(left, right):
    return lambda arguments, outputs, tf32: _gemm(arguments[left], arguments[right], tf32)


def _grouped(arguments, outputs, tf32):
    """Rows of several experts by their matrices, or, for gradients of those, a product of each expert's rows, which are taken to be
    equally many; one kernel."""
    a, b = arguments["self"], arguments["mat2"]
    if len(a.shape) != 2 or not outputs:
        return None
    experts = b.shape[0] if len(b.shape) == 3 else outputs[0].shape[0]
    rows_are_inner = len(b.shape) == 2
    m, k = a.shape
    m, k = (m, -(-k // experts)) if rows_are_inner else (-(-m // experts), k)
    return _sized("gemm", a.dtype, m, b.shape[-1], k=k, batch=experts, layout=LAYOUTS[a.is_transposed(), b.is_transposed()])


def _attention(kind, heads_before_tokens=True, library="flash_2"):
    """Queries [samples, heads, tokens, channels], or tokens before heads. PyTorch's flash kernels are FlashAttention-2's;
    its memory-efficient ones are the nearest to those."""

    def key_of(arguments, outputs, tf32):
        query, keys, values = (arguments[name] for name in ("query", "key", "value"))
        if len(query.shape) != 4:
            return None
        heads, tokens = (1, 2) if heads_before_tokens else (2, 1)
        samples, channels, value_dim = query.shape[0], query.shape[3], values.shape[3]
        key = _sized(kind, query.dtype, query.shape[tokens], keys.shape[tokens], k=channels,
                     batch=samples * query.shape[heads], groups=samples * keys.shape[heads], attention=library)
        if key and arguments.get("is_causal", arguments.get("causal", False)):
            key["causal"] = "yes"
        if key and value_dim != channels:
            key["value_dim"] = value_dim
        return key

    return key_of


def _rows(kind, of, last=1):
    """m rows of n: the last `last` dimensions of argument `of` are a row."""

    def key_of(arguments, outputs, tf32):
        shape = arguments.get("normalized_shape") or [arguments[of].width]
        width = 1
        for size in shape:
            width *= size
        return _sized(kind, arguments[of].dtype, arguments[of].numel // max(1, width), width)

    return key_of


def _embedding(kind, tokens, rows):
    def key_of(arguments, outputs, tf32):
        table = arguments[rows]
        return _sized(kind, table.dtype, arguments[tokens].numel, table.width)

    return key_of


def _fused_optimizer(arguments, outputs, tf32):
    """Parameters, both moments read and written, gradients read."""
    parameters = list(tensors_in([arguments["self"]]))
    moved = sum(t.bytes for t in tensors_in([arguments["grads"]]))
    moved += 2 * sum(t.bytes for name in ("self", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "momentum_buffer_list")
                     for t in tensors_in([arguments.get(name) or []]))
    return _traffic_of_many("optimizer", parameters, moved)


def _traffic_of_many(kind, tensors, moved):
    """m elements of n bytes of traffic each."""
    count = sum(t.numel for t in tensors)
    each = round(moved / count) if count else 0
    return _sized(kind, "fp32", count, each) if each and abs(moved - each * count) <= 0.02 * moved else None


def _set_to_value(arguments, outputs, tf32):
    return _sized("memset_zero", "fp32", outputs[0].numel, outputs[0].element) if outputs else None


def _norm_of_gradients(arguments, outputs, tf32):
    read = [t for t in tensors_in([arguments["self"]])]
    elements = sum(t.numel for t in read)
    return _traffic_of_many("grad_norm", read, sum(t.bytes for t in read)) if elements else None


_flash = {"_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu",
          "_scaled_dot_product_efficient_attention"}
_native = {"_scaled_dot_product_cudnn_attention", "_scaled_dot_product_fused_attention_overrideable"}

KERNELS = {
    "aten.mm": _product("self", "mat2"), "aten.bmm": _product("self", "mat2"),
    "aten.addmm": _product("mat1", "mat2"), "aten.baddbmm": _product("batch1", "batch2"),
    "aten._grouped_mm": _grouped,
    "aten._addmm_activation": _product("mat1", "mat2"),
    **{f"aten.{name}": _attention("attention_forward") for name in _flash},
    **{f"aten.{name}_backward": _attention("attention_backward") for name in _flash},
    **{f"aten.{name}": _attention("attention_forward", library="native") for name in _native},
    **{f"aten.{name}_backward": _attention("attention_backward", library="native") for name in _native},
    "aten._flash_attention_forward": _attention("attention_forward", heads_before_tokens=False),
    "aten._flash_attention_backward": _attention("attention_backward", heads_before_tokens=False),
    "aten.native_layer_norm": _rows("norm_forward", "input"),
    "aten.native_layer_norm_backward": _rows("norm_backward", "input"),
    **{f"{space}._fused_rms_norm": _rows("norm_forward", "input") for space in ("aten", "echo_trace")},
    **{f"{space}._fused_rms_norm_backward": _rows("norm_backward", "input") for space in ("aten", "echo_trace")},
    **{f"aten.{name}": _rows("activation_forward", "self") for name in ("gelu", "silu", "relu", "relu_")},
    "aten.gelu_backward": _rows("activation_backward", "self"),
    "aten.silu_backward": _rows("activation_backward", "self"),
    "aten.threshold_backward": _rows("activation_backward", "self"),
    "aten.embedding": _embedding("embedding_forward", "indices", "weight"),
    "aten.embedding_dense_backward": _embedding("embedding_backward", "indices", "grad_output"),
    "aten._softmax": _rows("softmax_forward", "self"),
    "aten._softmax_backward_data": _rows("softmax_backward", "output"),
    "aten._log_softmax": _rows("cross_entropy_forward", "self"),
    "aten._log_softmax_backward_data": _rows("cross_entropy_backward", "output"),
    "aten.native_dropout": _rows("dropout_forward", "input"),
    "aten.native_dropout_backward": _rows("dropout_backward", "grad_output"),
    "aten._fused_adam_": _fused_optimizer, "aten._fused_adamw_": _fused_optimizer, "aten._fused_sgd_": _fused_optimizer,
    "aten.zero_": _set_to_value, "aten.zeros": _set_to_value, "aten.zeros_like": _set_to_value,
    "aten.new_zeros": _set_to_value, "aten.ones_like": _set_to_value, "aten.full_like": _set_to_value,
    "aten.full": _set_to_value, "aten.ones": _set_to_value, "aten.fill_": _set_to_value, "aten._foreach_zero_": None,
    "aten._foreach_norm": _norm_of_gradients, "aten.linalg_vector_norm": _norm_of_gradients,
}

# One pass over memory, though PyTorch does not call them pointwise.
COPIES = {f"aten.{name}" for name in (
    "copy_", "_to_copy", "clone", "cat", "stack", "split_with_sizes_copy", "_foreach_copy_", "to", "contiguous", "index", "index_select", "index_copy_",
    "slice_backward", "select_backward", "constant_pad_nd", "masked_fill", "tril", "triu", "roll", "flip")} | {
    "fsdp.all_gather_copy_in", "fsdp.split_with_sizes_copy", "fsdp.chunk_cat", "fsdp.chunk_cat_mixed_dtype",
    "aten._chunk_cat", "aten.embedding_renorm_"}


def copy_of(moved):
    """A copy that moves as many bytes in and out: 16-bit elements, rows of 1024 where they come out even."""
    elements = -(-moved // 4)
    width = 1024 if elements % 1024 == 0 else 1
    return _sized("elementwise", "bf16", elements // width, width)


def _pointwise(reads, writes, moved):
    """Two tensors into one of their shape is a sum; other ops copy what they move."""
    if len(writes) == 1 and len(reads) == 2 and all(t.shape == writes[0].shape and t.dtype == writes[0].dtype and
                                                    t.bytes == writes[0].bytes for t in reads):
        key = _sized("merge", writes[0].dtype, writes[0].rows, writes[0].width)
        if key:
            return key
    if len(writes) == 1 and len(reads) == 1 and reads[0].dtype == writes[0].dtype and reads[0].bytes == writes[0].bytes:
        key = _sized("elementwise", writes[0].dtype, writes[0].rows, writes[0].width)
        if key:
            return key
    return copy_of(moved) if moved else None


def traffic_of(op, reads, writes):
    """HBM bytes: what comes in, what goes out. Of a table only the rows that are taken."""
    if op in ("aten.embedding", "aten.index_select", "aten.gather"):
        return sum(2 * t.bytes for t in writes) + sum(t.bytes for t in reads if t.dtype.startswith("int"))
    if op == "aten.embedding_dense_backward":
        return sum(3 * t.bytes for t in reads if not t.dtype.startswith("int"))
    return sum(t.bytes for t in reads) + sum(t.bytes for t in writes)


def kernel_of(op, arguments, reads, writes, pointwise=False, tf32=False):
    """A kernel key as the trace format spells it, or None. `reads`, `writes`: tensors; `pointwise`: PyTorch says so."""
    if op in KERNELS:
        key_of = KERNELS[op]
        key = key_of(arguments, writes, tf32) if key_of else None
    elif op.startswith("aten._foreach_"):
        key = _foreach(op, reads, writes)
    elif pointwise or op in COPIES:
        key = _pointwise(reads, writes, traffic_of(op, reads, writes))
    else:
        key = None
    return without_defaults(key)


def without_defaults(key):
    """As the format spells it."""
    return {name: value for name, value in key.items() if name == "kind" or value != _DEFAULTS.get(name)} if key else None


def _foreach(op, reads, writes):
    """One kernel over a list of tensors, as optimizers run them."""
    return _traffic_of_many("optimizer", writes, sum(t.bytes for t in reads) + sum(t.bytes for t in writes))


_DEFAULTS = {"precision": "bf16", "layout": "tn", "m": 1, "n": 1, "k": 1, "batch": 1, "groups": 1,
             "attention": "native"}

__all__ = ["TensorFacts", "copy_of", "kernel_of", "traffic_of", "without_defaults"]
