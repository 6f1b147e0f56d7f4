"""From PyTorch's ops to kernel keys: shapes by hand, words against the program's own."""

import re

import pytest
from conftest import ANALYSIS

from echo_sweep.tracer.dependencies import Extent, Writers
from echo_sweep.tracer.kernels import COPIES, KERNELS, kernel_of, traffic_of
from echo_sweep.tracer.tensor_facts import TensorFacts


def tensor(*shape, dtype="bf16", strides=None):
    return TensorFacts(shape, dtype, strides)


def row_major(*shape, dtype="bf16"):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return TensorFacts(shape, dtype, tuple(strides))


def transposed(matrix):
    return TensorFacts(matrix.shape[:-2] + matrix.shape[:-3:-1], matrix.dtype, matrix.strides[:-2] + matrix.strides[:-3:-1])


def test_the_three_products_of_a_linear_layer():
    x, weight, gradient = row_major(512, 64), row_major(96, 64), row_major(512, 96)

    def mm(a, b):
        return kernel_of("aten.mm", {"self": a, "mat2": b}, [a, b], [row_major(a.shape[0], b.shape[1])])

    assert mm(x, transposed(weight)) == {"kind": "gemm", "m": 512, "n": 96, "k": 64}
    assert mm(gradient, weight) == {"kind": "gemm", "layout": "nn", "m": 512, "n": 64, "k": 96}
    assert mm(transposed(gradient), x) == {"kind": "gemm", "layout": "nt", "m": 96, "n": 64, "k": 512}


def test_products_of_a_group_of_experts():
    rows, weights, gradient = row_major(512, 64), row_major(4, 96, 64), row_major(512, 96)

    def grouped(a, b, out):
        return kernel_of("aten._grouped_mm", {"self": a, "mat2": b}, [a, b], [out])

    assert grouped(rows, transposed(weights), gradient) == {"kind": "gemm", "m": 128, "n": 96, "k": 64, "batch": 4}
    assert grouped(gradient, weights, rows) == {"kind": "gemm", "layout": "nn", "m": 128, "n": 64, "k": 96, "batch": 4}
    assert grouped(transposed(gradient), rows, weights) == {
        "kind": "gemm", "layout": "nt", "m": 96, "n": 64, "k": 128, "batch": 4}


def test_batches_biases_and_precisions_of_products():
    a, b = row_major(2, 3, 4, dtype="fp32"), row_major(2, 4, 5, dtype="fp32")
    assert kernel_of("aten.bmm", {"self": a, "mat2": b}, [a, b], []) == {
        "kind": "gemm", "precision": "fp32", "layout": "nn", "m": 3, "n": 5, "k": 4, "batch": 2}
    assert kernel_of("aten.bmm", {"self": a, "mat2": b}, [a, b], [], tf32=True)["precision"] == "tf32"
    x, weight = row_major(7, 4), row_major(4, 5)
    assert kernel_of("aten.addmm", {"self": row_major(5), "mat1": x, "mat2": weight}, [], [])["m"] == 7
    wide = row_major(7, 4, dtype="fp64")
    assert kernel_of("aten.mm", {"self": wide, "mat2": row_major(4, 5, dtype="fp64")}, [], []) is None


def test_attention_has_heads_of_queries_and_of_keys():
    q, kv = tensor(2, 8, 128, 64), tensor(2, 2, 256, 64)
    arguments = {"query": q, "key": kv, "value": kv, "is_causal": True}
    forward = {"kind": "attention_forward", "causal": "yes", "m": 128, "n": 256, "k": 64, "batch": 16, "groups": 4,
               "attention": "flash_2"}
    assert kernel_of("aten._scaled_dot_product_flash_attention", arguments, [q, kv, kv], [q]) == forward
    backward = kernel_of("aten._scaled_dot_product_efficient_attention_backward", arguments | {"is_causal": False}, [], [q])
    assert backward == {name: value for name, value in forward.items() if name != "causal"} | {"kind": "attention_backward"}
    cudnn = kernel_of("aten._scaled_dot_product_cudnn_attention", arguments, [], [])
    assert cudnn == {name: value for name, value in forward.items() if name != "attention"}
    narrow = tensor(2, 2, 256, 32)
    assert kernel_of("aten._scaled_dot_product_flash_attention", arguments | {"value": narrow}, [], [])["value_dim"] == 32
    packed = {"query": tensor(2, 128, 8, 64), "key": tensor(2, 256, 2, 64), "value": tensor(2, 256, 2, 64), "is_causal": True}
    assert kernel_of("aten._flash_attention_forward", packed, [], []) == forward


def test_rows_of_norms_activations_and_softmax():
    x = tensor(2, 3, 16)
    assert kernel_of("aten.native_layer_norm", {"input": x, "normalized_shape": [3, 16]}, [x], [x]) == {
        "kind": "norm_forward", "m": 2, "n": 48}
    assert kernel_of("aten.gelu", {"self": x}, [x], [x]) == {"kind": "activation_forward", "m": 6, "n": 16}
    assert kernel_of("aten._log_softmax", {"self": x}, [x], [x])["kind"] == "cross_entropy_forward"
    ids, table = tensor(4, 5, dtype="int64"), tensor(100, 16)
    assert kernel_of("aten.embedding", {"weight": table, "indices": ids}, [], []) == {
        "kind": "embedding_forward", "m": 20, "n": 16}


def bytes_of(key):
    """What src/ops/kernel.cpp makes of the keys of copies and sums: 2 or 3 passes of an element."""
    element = {"fp32": 4}.get(key.get("precision"), 2)
    passes = {"elementwise": 2 * element, "merge": 3 * element, "optimizer": 1, "memset_zero": 1, "grad_norm": 1}
    return key.get("m", 1) * key.get("n", 1) * passes[key["kind"]]


@pytest.mark.parametrize("reads, writes", [
    ([(4, 8)], [(4, 8)]), ([(4, 8), (4, 8)], [(4, 8)]), ([(4, 8), (8,)], [(4, 8)]), ([(4, 8), (4, 8), (4, 8)], [(4, 8)]),
    ([(6, 1024)], [(6, 1024), (6, 1024)])])
def test_a_pointwise_op_moves_what_its_tensors_hold(reads, writes):
    for dtype in ("bf16", "fp32"):
        read, written = [tensor(*s, dtype=dtype) for s in reads], [tensor(*s, dtype=dtype) for s in writes]
        moved = traffic_of("aten.anything", read, written)
        key = kernel_of("aten.anything", {}, read, written, pointwise=True)
        assert bytes_of(key) == moved == sum(t.numel for t in read + written) * (4 if dtype == "fp32" else 2)


def test_a_cast_moves_both_widths():
    wide, narrow = tensor(512, 1024, dtype="fp32"), tensor(512, 1024)
    assert bytes_of(kernel_of("aten._to_copy", {}, [wide], [narrow])) == 6 * 512 * 1024


def test_what_is_expanded_is_read_once():
    assert tensor(4, 8, strides=(0, 1)).bytes == 16 and tensor(4, 8, strides=(8, 1)).bytes == 64


def test_optimizers_tell_their_traffic():
    p = [tensor(10, dtype="fp32"), tensor(6, dtype="fp32")]
    fused = kernel_of("aten._fused_adamw_", {"self": p, "grads": p, "exp_avgs": p, "exp_avg_sqs": p}, p * 4, p * 3)
    assert fused == {"kind": "optimizer", "precision": "fp32", "m": 16, "n": 28}
    listed = kernel_of("aten._foreach_lerp_", {"self": p}, p + p, p)
    assert listed == {"kind": "optimizer", "precision": "fp32", "m": 16, "n": 12} and bytes_of(listed) == 3 * 64


def test_what_no_key_can_hold_has_none():
    huge = tensor(2**31, 4)
    assert kernel_of("aten.gelu", {"self": huge}, [huge], [huge]) is None
    assert kernel_of("aten.sum", {"self": tensor(4)}, [tensor(4)], [tensor(1)]) is None
    empty = tensor(0, 4)
    assert kernel_of("aten.gelu", {"self": empty}, [empty], [empty]) is None


def test_kernel_kinds_are_the_program_s():
    kinds = set(re.findall(r'return "(\w+)"', (ANALYSIS.parent / "src/ops/kernel_names.cpp").read_text()))
    made = set(re.findall(r'"(gemm|elementwise|merge|optimizer|memset_zero|grad_norm|\w+_(?:forward|backward))"',
                          (ANALYSIS / "echo_sweep/tracer/kernels.py").read_text()))
    assert made - kinds - {name.rpartition(".")[2] for name in [*KERNELS, *COPIES]} == set()
    assert {"gemm", "attention_forward", "norm_backward"} <= made


# --- who wrote what
def whole(storage, size):
    return Extent(storage, 0, size)


def test_a_reader_needs_all_who_wrote_its_part():
    writers = Writers()
    writers.write(Extent("bucket", 0, 8), 1)
    writers.write(Extent("bucket", 8, 24), 2)
    writers.write(Extent("other", 0, 8), 3)
    assert writers.of([whole("bucket", 24)]) == [1, 2]
    assert writers.of([Extent("bucket", 8, 9)]) == [2] and writers.of([Extent("bucket", 24, 30)]) == []


def test_what_is_written_over_is_forgotten():
    writers = Writers()
    writers.write(Extent("x", 4, 8), 1)
    writers.write(whole("x", 16), 2)
    assert writers.of([whole("x", 16)]) == [2]
    writers.write(Extent("x", 0, 16, dense=False), 3)
    assert writers.of([whole("x", 16)]) == [2, 3]


def test_a_copy_by_nobody_has_the_writers_of_what_it_was():
    writers = Writers()
    writers.write(whole("x", 8), 1)
    writers.copy(whole("x", 8), whole("y", 8))
    assert writers.of([whole("y", 8)]) == [1]
    writers.forget("y")
    assert writers.of([whole("y", 8)]) == []
