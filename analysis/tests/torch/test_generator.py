"""The generator's steps beside PyTorch's, for the same small Llama in five layouts: is what the simulator prices what
frameworks do? Every difference is named here with its reason; a new one fails.

Traces are compared as `echo-trace compare` does. Needs the program (ECHO_SWEEP, else the newest build) with `convert`.
"""

import pathlib

import pytest
from beside_generator import apart, generated_steps

from echo_sweep import tracer
from echo_sweep.tracer.compare import Options, communication_of, compare, products_of

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SWEEP = REPOSITORY / "sweeps/traced/generator.toml"
POINTS = {"data_parallel": 0, "fully_sharded": 1, "tensor_parallel": 2, "pipeline": 3, "context_parallel": 4}
HIDDEN, LAYERS, ROWS, WEIGHTS = 512, 4, 512, 15733248  # tiny_llama, which needs torch to be imported
ANY_ROLE = Options(roles=False)  # of a job with one axis, PyTorch's group of all ranks may serve several purposes


@pytest.fixture(scope="module")
def generated(program_with, tmp_path_factory):
    return generated_steps(program_with("convert"), SWEEP, POINTS, tmp_path_factory.mktemp("generated"))


@pytest.fixture(scope="module")
def differences(traced, generated):
    """differences(layout) -> [(communication only the generator has, only PyTorch has)] of each rank."""

    def of(layout):
        here = generated(layout)
        sides = []
        for rank in range(here.world):
            there = traced(layout, here.world, rank)
            listed = [communication_of(trace.rank_for(rank), trace.group_named(), ANY_ROLE) for trace in (here, there)]
            sides.append(apart(*[[key[:2] for key in keys] for keys in listed]))
        return sides

    return of


@pytest.mark.parametrize("layout", POINTS)
def test_products_are_the_same(traced, generated, layout):
    here = generated(layout)
    for rank in range(here.world):
        there = traced(layout, here.world, rank)
        shapes = [sorted(products_of(trace.rank_for(rank), Options())) for trace in (here, there)]
        assert shapes[0] == shapes[1] and len(shapes[0]) > 0


def test_ddp_sums_the_same_gradients_in_other_buckets(differences):
    """DDP's first bucket closes at 1 MiB, later ones at 25 MiB; the preset's all hold as many parameters."""
    for here, there in differences("data_parallel"):
        assert {kind for kind, _ in here + there} == {"all_reduce"}
        assert sum(moved for _, moved in there) - sum(moved for _, moved in here) == 0


def test_fsdp_is_the_same_but_for_the_norm_of_the_gradients(differences):
    """PyTorch sums one number for each of its tensors over the shards; the generator's one number over `model` is of
    tensor and pipeline ranks, of which there are none here."""
    tensors = 6 * LAYERS + 3
    for here, there in differences("fully_sharded"):
        assert here == [] and there == [("all_reduce", 4 * tensors)]


def test_tensor_parallel_is_the_same_but_for_small_sums(differences):
    """Of the loss: PyTorch sums the largest logit and the others as 16 or 32 bit as they come, the generator 32 bit. Of
    norm weights: Megatron sums those of all layers at once, PyTorch each one in every list operation of AdamW that
    reads gradients. The norm of gradients: the traced step does not clip."""
    for here, there in differences("tensor_parallel"):
        assert {kind for kind, _ in here + there} == {"all_reduce"}
        norms = 2 * LAYERS + 1
        assert [moved for _, moved in there].count(2 * HIDDEN) >= norms
        assert all(moved <= 4 * ROWS for _, moved in there) and all(moved <= 4 * HIDDEN * norms for _, moved in here)


def test_pipeline_is_the_same(differences):
    for here, there in differences("pipeline"):
        assert here == [] and there == []


def test_context_parallel_is_a_ring_of_all_to_alls(differences):
    """PyTorch turns its ring by an all-to-all in which every rank has one partner; the generator (Transformer Engine) by
    sends and receives. Forward both move keys and values once per layer. Backward PyTorch moves gradients in 32 bit and
    once more round; gradients of weights are summed in 16 bit in DDP's buckets, the generator's in 32 bit at the end."""
    keys_values = 2 * 2 * (ROWS // 2) * HIDDEN
    for here, there in differences("context_parallel"):
        sent = [moved for kind, moved in here if kind == "send"]
        turned = [moved for kind, moved in there if kind == "all_to_all"]
        assert sent == [keys_values] * 3 * LAYERS
        assert turned.count(keys_values) == 2 * LAYERS and turned.count(2 * keys_values) == 2 * LAYERS
        assert len(turned) == 4 * LAYERS
        assert sum(moved for kind, moved in there if kind == "all_reduce") == 2 * WEIGHTS


def test_the_command_agrees(traced, generated, tmp_path):
    """compare() itself, on a layout that is alike but for what its test says."""
    here = generated("pipeline")
    there = tracer.merge([traced("pipeline", 2, rank) for rank in range(2)])
    found, ranks, _ = compare(here, there, Options(least_bytes=5))
    assert found == [] and ranks == [0, 1]
