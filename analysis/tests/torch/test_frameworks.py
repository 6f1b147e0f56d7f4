"""The generator's steps beside those of FSDP1, DeepSpeed, torch.compile and Megatron-Core, for the same small model: as in
test_generator.py every difference is named here with its reason, and a new one fails."""

import pathlib
import subprocess
import sys
from collections import Counter

import pytest
from beside_generator import apart, generated_steps

from echo_sweep import tracer
from echo_sweep.tracer.compare import Options, communication_of, products_of

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
SWEEP = REPOSITORY / "sweeps/traced/frameworks.toml"
POINTS = {"flat_parameters": 0, "flat_parameters_kept": 1, "zero_1": 2, "zero_2": 3, "zero_3": 4, "compiled": 5,
          "sequence_parallel": 6, "mixture": 7}
ROOT = 2 * 2048 * 512 + 512  # embedding, head, and the norm before it
LAYERS, WEIGHTS, ROWS, HIDDEN = 4, 15733248, 512, 512  # tiny_llama, which needs torch to be imported


@pytest.fixture(scope="module")
def generated(program_with, tmp_path_factory):
    return generated_steps(program_with("convert"), SWEEP, POINTS, tmp_path_factory.mktemp("generated"))


@pytest.fixture(scope="module")
def of_program(tmp_path_factory):
    """of_program(name, words, rank, options) -> the trace of one of two ranks of a script."""
    folder = tmp_path_factory.mktemp("programs")

    def trace(name, words, rank, *options):
        output = folder / f"{rank}.jsonl"
        done = subprocess.run([sys.executable, "-W", "ignore", "-m", "echo_sweep.tracer", "--world", "2", "--rank", str(rank),
                               "-o", output, *options, "--", "python", PROGRAMS / name, *words], capture_output=True,
                              text=True, cwd=folder, env={"PYTHONPATH": str(REPOSITORY / "analysis"), "PATH": "/usr/bin:/bin"})
        assert done.returncode == 0, done.stderr
        return tracer.read(output)

    return trace


@pytest.fixture(scope="module")
def of_megatron(of_program):
    pytest.importorskip("megatron.core")
    return lambda words, rank, *options: of_program("gpt_of_megatron.py", words, rank, *options)


@pytest.fixture(scope="module")
def of_deepspeed(of_program):
    """Of its third step: ZeRO 3 learns the order of modules in the first, and settles it in the second."""
    pytest.importorskip("deepspeed")
    return lambda stage, rank: of_program("with_deepspeed.py", [str(stage)], rank, "--step", "3")


def communication(trace, rank):
    return [key[:2] for key in communication_of(trace.rank_for(rank), trace.group_named(), Options(roles=False))]


def products(trace, rank):
    """Each by itself, those of a group of experts too."""
    return Counter(key[:3] for key in products_of(trace.rank_for(rank), Options()) for _ in range(key[3]))


@pytest.mark.parametrize("layout", ["flat_parameters", "flat_parameters_kept"])
def test_fsdp1_is_the_same_but_for_the_norm_of_the_gradients(traced, generated, layout):
    """FSDP1 sums one number over the shards for all its tensors together; FSDP2 one for each."""
    here = generated(layout)
    for rank in range(2):
        there = traced(layout, 2, rank)
        assert products(here, rank) == products(there, rank) and len(products(here, rank)) > 0
        assert apart(communication(here, rank), communication(there, rank)) == ([], [("all_reduce", 4)])


def test_fsdp1_limits_how_far_gathers_run_ahead(traced):
    """limit_all_gathers: before a further unit is gathered, the host waits until an earlier one's weights are freed, which is
    when its computation has ended, behind the gather that is under way. Weights that are kept are freed in backward alone."""
    nodes = traced("flat_parameters", 2, 0).ranks[0].nodes
    waits = [place for place, node in enumerate(nodes) if node.kind == "wait"]
    issued = [place for place, node in enumerate(nodes) if node.kind == "collective"]
    assert {nodes[wait].pass_ for wait in waits} == {"forward", "backward"}
    for wait in waits:
        assert nodes[wait].stream == -1
        assert nodes[min(place for place in issued if place > wait)].collective == "all_gather"
        before = max(place for place in issued if place < wait and nodes[place].collective == "all_gather")
        assert max(nodes[wait].needs) < before
    kept = traced("flat_parameters_kept", 2, 0).ranks[0].nodes
    assert {node.pass_ for node in kept if node.kind == "wait"} == {"backward"}


@pytest.mark.parametrize("stage", [1, 2])
def test_zero_1_and_2_are_the_same_but_for_two_numbers(of_deepspeed, generated, stage):
    """DeepSpeed sums over the data group whether a gradient is infinite, a byte, and the norm of the gradients. Both stages
    all-reduce one bucket of 500 M and gather all weights at once, DeepSpeed after the update, the generator before the next
    forward, which overlaps it."""
    here = generated(f"zero_{stage}")
    for rank in range(2):
        there = of_deepspeed(stage, rank)
        assert products(here, rank) == products(there, rank) and len(products(here, rank)) > 0
        sides = [Counter(communication(trace, rank)) for trace in (here, there)]
        assert sides[0] == {("all_gather", 2 * WEIGHTS): 1, ("all_reduce", 2 * WEIGHTS): 1}
        assert sides[1] - sides[0] == {("all_reduce", 1): 1, ("all_reduce", 4): 1} and sides[0] - sides[1] == {}


def test_zero_3_gathers_tensor_by_tensor(of_deepspeed, generated):
    """With nothing kept and no prefetch, DeepSpeed gathers each of 27 tensors by itself, the generator a layer at once; and
    those outside of layers again for backward, the generator keeps them. It scatters gradients when a bucket of 500 M is
    full, here once, the generator's ZeRO 3 layer by layer. It sums norm and overflow as two numbers."""
    here = generated("zero_3")
    tensors = 6 * LAYERS + 3
    for rank in range(2):
        there = of_deepspeed(3, rank)
        assert products(here, rank) == products(there, rank) and len(products(here, rank)) > 0
        sides = [communication(trace, rank) for trace in (here, there)]
        gathered = [[moved for kind, moved in side if kind == "all_gather"] for side in sides]
        assert len(gathered[0]) == 2 * LAYERS + 1 and len(gathered[1]) == 2 * tensors
        assert sum(gathered[1]) == 4 * WEIGHTS == sum(gathered[0]) + 2 * ROOT
        scattered = [[moved for kind, moved in side if kind == "reduce_scatter"] for side in sides]
        assert len(scattered[0]) == LAYERS + 1 and scattered[1] == [2 * WEIGHTS] == [sum(scattered[0])]
        assert [pair for pair in sides[1] if pair[0] not in ("all_gather", "reduce_scatter")] == [("all_reduce", 8)]


def test_compiled_kernels_are_inductor_s_groups(traced, generated):
    """Products and sums of gradients are the generator's; DDP's buckets end elsewhere, and are filled only after the whole
    backward, which is one graph. The generator's norms have the residual sums beside them as kernels of their own, Inductor
    fuses each sum into the norm that follows; autocast's casts of weights, one kernel for each of 17 products each way,
    the generator does not have."""
    here, there = generated("compiled"), traced("compiled", 2, 0)
    assert there.notes == []
    assert products(here, 0) == products(there, 0)
    sums = [[moved for kind, moved in communication(trace, 0) if kind == "all_reduce"] for trace in (here, there)]
    assert sum(sums[0]) == sum(sums[1]) == 4 * WEIGHTS
    nodes = there.ranks[0].nodes
    forward = Counter(_role(node) for node in nodes if node.pass_ == "forward" and node.name.startswith("triton_"))
    assert forward == {"norm": 2 * LAYERS + 1, "rope": LAYERS, "activation": LAYERS, "cast": 4 * LAYERS + 1}
    expected = Counter(node.kernel["kind"] for node in here.rank_for(0).nodes if node.pass_ == "forward" and node.kernel)
    assert expected["norm_forward"] == forward["norm"] and expected["rope"] == forward["rope"]
    assert expected["activation_forward"] == forward["activation"] and expected["residual_forward"] == 2 * LAYERS
    activation = [[node.bytes for node in trace.rank_for(0).nodes if node.pass_ == "forward" and (
        (node.kernel or {}).get("kind") == "activation_forward" or "silu" in node.name)] for trace in (here, there)]
    assert activation[0] == activation[1]
    first = next(place for place, node in enumerate(nodes) if node.kind == "collective")
    assert not any(node.name == "mm" or node.name.startswith("triton_") for node in nodes[first:])


def _role(node):
    words = node.name
    if words.startswith("triton_red_") and "rsqrt" in words:
        return "norm"
    if words == "triton_poi_fused__to_copy_t":
        return "cast"
    return "activation" if "silu" in words else "rope" if "neg" in words else words


def test_compiled_layers_leave_fsdp2_as_it_is(traced):
    """Each layer compiled by itself: FSDP2's hooks stay outside, and communicate as without compilation."""
    plain, there = traced("fully_sharded", 2, 0), traced("compiled_layers", 2, 0)
    assert there.notes == []
    assert communication(plain, 0) == communication(there, 0) and products(plain, 0) == products(there, 0)
    names = Counter(node.pass_ for node in there.ranks[0].nodes if node.name.startswith("triton_"))
    assert names["forward"] == 5 * LAYERS  # the second residual is a kernel of its own: the next norm is another graph's


def test_what_cannot_be_compiled_is_told(capsys):
    def build():
        import torch
        from torch import nn

        class Growing(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(4, 4))
                self.register_buffer("seen", torch.zeros(4))

            def forward(self, x):
                self.seen.add_(1)
                return x @ self.weight

        model = torch.compile(Growing().cuda())
        return lambda: model(torch.zeros(4, 4, device="cuda")).sum().backward()

    trace = tracer.trace_step(build, 1, 0)
    assert any("traced as if not compiled" in note and "mutation" in note for note in trace.notes)
    assert [node.name for node in trace.ranks[0].nodes].count("mm") == 2


def test_sequence_parallel_megatron_is_the_same(of_megatron, generated):
    """Op by op: the generator takes its order of collectives from Megatron."""
    here = generated("sequence_parallel")
    for rank in range(2):
        there = of_megatron(["2", "1", "--microbatches", "1", "--sequence-parallel"], rank)
        assert products(here, rank) == products(there, rank) and len(products(here, rank)) > 0
        assert apart(communication(here, rank), communication(there, rank)) == ([], [])


def test_mixture_of_megatron_differs_in_probabilities_and_buckets(of_megatron, generated):
    """Tokens that rank sends rank are accompanied by their probabilities, an all-to-all of 16 bit each, forth in forward and
    back in backward, which the generator neglects (mixture/exchange.cpp). Experts run one after the other without a grouped
    product. Torch's norms have 32-bit weights, whose gradients Megatron keeps and sums in a buffer of their own. The norm of
    experts' gradients is summed over the ranks that hold them, the generator's over tensor and pipeline ranks alone."""
    here = generated("mixture")
    copies = 2 * ROWS
    for rank in range(2):
        there = of_megatron(["1", "1", "--layers", "2", "--experts", "4", "--expert-parallel", "2", "--microbatches", "1"],
                            rank, "--routing", "balanced")
        assert "routers choose as many tokens for every expert" in there.notes
        assert products(here, rank) == products(there, rank) and len(products(here, rank)) > 0
        sides = [communication(trace, rank) for trace in (here, there)]
        exchanged = [[moved for kind, moved in side if kind == "all_to_all"] for side in sides]
        assert exchanged[0] == [2 * HIDDEN * copies] * 8
        assert sorted(exchanged[1]) == [2 * copies] * 4 + exchanged[0]
        counts = [[moved for kind, moved in side if kind == "all_gather"] for side in sides]
        assert counts[0] == counts[1] == [8 * 4 * 2] * 2
        sums = [[moved for kind, moved in side if kind == "all_reduce"] for side in sides]
        norms = 4 * (2 * 2 + 1) * HIDDEN
        assert len(sums[0]) == 1 and sums[1] == [norms, sums[0][0] - norms, 4]
