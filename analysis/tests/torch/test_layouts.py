"""Traces of a small Llama in five layouts against what arithmetic says they must hold."""

from collections import Counter

import pytest

H, INNER, VOCABULARY, LAYERS, ROWS = 512, 1536, 2048, 4, 512  # tiny_llama, which needs torch to be imported
LAYER_WEIGHTS = 4 * H * H + 3 * H * INNER + 2 * H
TABLE = VOCABULARY * H
WEIGHTS = LAYERS * LAYER_WEIGHTS + 2 * TABLE + H


def nodes_of(trace, **fields):
    return [node for node in trace.ranks[0].nodes if all(getattr(node, name) == value for name, value in fields.items())]


def communication(trace, kind=None):
    return [node for node in trace.ranks[0].nodes if node.kind in ("collective", "send", "recv") and
            node.collective != "host_copy" and kind in (None, node.collective or node.kind)]


def products(trace):
    """{(layout, m, n, k): how many}"""
    found = Counter()
    for node in trace.ranks[0].nodes:
        key = node.kernel or {}
        if key.get("kind") == "gemm":
            found[key.get("layout", "tn"), key["m"], key["n"], key["k"]] += 1
    return found


def expected_products(rows=ROWS, share=1, layers=LAYERS, head=True):
    """Of one forward and backward: a weight of [outputs, inputs] is used three times."""
    weights = [(3 * H // share, H), (H, H // share), (2 * INNER // share, H), (H, INNER // share)] * layers
    found = Counter()
    for outputs, inputs in weights + ([(VOCABULARY // share, H)] if head else []):
        found["tn", rows, outputs, inputs] += 1
        found["nn", rows, inputs, outputs] += 1
        found["nt", outputs, inputs, rows] += 1
    return found


# --- no parallelism
def test_products_of_one_gpu(traced):
    trace = traced("single", 1)
    assert products(trace) == expected_products()
    assert communication(trace) == []


def test_kernels_of_one_gpu(traced):
    kinds = Counter((node.kernel or {}).get("kind") for node in traced("single", 1).ranks[0].nodes)
    assert kinds["attention_forward"] == kinds["attention_backward"] == LAYERS
    assert kinds["norm_forward"] == kinds["norm_backward"] == 2 * LAYERS + 1
    assert kinds["activation_forward"] == kinds["activation_backward"] == LAYERS
    assert kinds["embedding_forward"] == kinds["embedding_backward"] == 1
    assert kinds["cross_entropy_forward"] == kinds["cross_entropy_backward"] == 1


def test_attention_of_one_gpu(traced):
    keys = [node.kernel for node in traced("single", 1).ranks[0].nodes
            if (node.kernel or {}).get("kind") == "attention_forward"]
    assert keys == [{"kind": "attention_forward", "causal": "yes", "m": 256, "n": 256, "k": 64, "batch": 16,
                     "groups": 16, "attention": "flash_2"}] * LAYERS


def test_passes_come_in_order(traced):
    passes = [node.pass_ for node in traced("single", 1).ranks[0].nodes]
    assert set(passes) == {"forward", "backward", "optimizer"}
    assert passes == sorted(passes, key=["forward", "backward", "optimizer"].index)


def test_products_flops_are_two_a_multiply_and_add(traced):
    for node in traced("single", 1).ranks[0].nodes:
        if (node.kernel or {}).get("kind") == "gemm":
            assert node.flops == 2 * node.kernel["m"] * node.kernel["n"] * node.kernel["k"]


def test_dependencies_point_back_and_reach_the_loss(traced):
    for layout, world in (("single", 1), ("data_parallel", 2), ("fully_sharded", 2), ("tensor_parallel", 2), ("pipeline", 2),
                          ("context_parallel", 2)):
        nodes = traced(layout, world).ranks[0].nodes
        for place, node in enumerate(nodes):
            assert all(0 <= other < place for other in node.needs + node.follows), (layout, place)
            assert not set(node.needs) & set(node.follows), (layout, place)
        reached, updates = set(), [place for place, node in enumerate(nodes) if node.pass_ == "optimizer"]
        for place in reversed(range(len(nodes))):
            if place in reached or place in updates:
                reached.update(nodes[place].needs)
        forward = [place for place, node in enumerate(nodes) if (node.kernel or {}).get("kind") == "gemm"]
        if layout == "single":  # every product serves the update
            assert set(forward) <= reached


# --- data parallel
def test_ddp_sums_every_gradient_once(traced):
    trace = traced("data_parallel", 4)
    reductions = communication(trace)
    assert {node.collective for node in reductions} == {"all_reduce"} and {node.pass_ for node in reductions} == {"backward"}
    assert sum(node.bytes for node in reductions) == 4 * WEIGHTS and {node.precision for node in reductions} == {"fp32"}
    assert [(group.role, group.ranks) for group in trace.groups] == [("data", [0, 1, 2, 3])]
    assert products(trace) == expected_products()


def test_ddp_fills_buckets_of_25_mib_from_the_last_weight_on(traced):
    """The first is full at 1 MiB, so the head goes alone; a layer is 12.6 MB, and what passes 25 MiB goes out."""
    sizes = [node.bytes for node in communication(traced("data_parallel", 4))]
    limits, weights = [2**20] + [25 * 2**20] * 9, []
    for _ in range(LAYERS):
        weights = weights + [INNER * H, 2 * INNER * H, H, H * H, 3 * H * H, H]
    order = [TABLE, H] + weights + [TABLE]  # as gradients come: head, norm, layers from their ends, embedding
    buckets, filled = [], 0
    for weight in order:
        filled += 4 * weight
        if filled >= limits[len(buckets)]:
            buckets.append(filled)
            filled = 0
    assert sizes == buckets + ([filled] if filled else [])


def test_a_reduction_overlaps_the_backward_pass(traced):
    nodes = traced("data_parallel", 4).ranks[0].nodes
    reductions = [place for place, node in enumerate(nodes) if node.collective == "all_reduce"]
    assert {nodes[place].stream for place in reductions} == {1}
    later = [node for node in nodes[reductions[0]:] if (node.kernel or {}).get("kind") == "gemm"]
    assert later and all(reductions[0] not in node.needs for node in later)
    takers = [node for node in nodes if set(node.needs) & set(reductions)]
    assert takers and all(node.name in ("copy_", "_foreach_norm") or node.pass_ == "optimizer" for node in takers)


# --- fully sharded
def test_fsdp_gathers_twice_and_scatters_once(traced):
    trace = traced("fully_sharded", 2)
    gathers, scatters = communication(trace, "all_gather"), communication(trace, "reduce_scatter")
    root = 2 * (2 * TABLE + H)
    assert [node.bytes for node in gathers] == [root] + 2 * LAYERS * [2 * LAYER_WEIGHTS]  # the root's stay for the backward
    assert [node.bytes for node in scatters] == LAYERS * [4 * LAYER_WEIGHTS] + [2 * root]
    assert {node.precision for node in gathers} == {"bf16"} and {node.precision for node in scatters} == {"fp32"}
    assert [(group.role, group.ranks) for group in trace.groups] == [("shard", [0, 1])]
    assert products(trace) == expected_products()


def test_fsdp_has_streams_of_its_own(traced):
    nodes = traced("fully_sharded", 2).ranks[0].nodes
    streams = {kind: {node.stream for node in nodes if node.collective == kind} for kind in ("all_gather", "reduce_scatter")}
    assert len(streams["all_gather"]) == len(streams["reduce_scatter"]) == 1
    assert 0 not in streams["all_gather"] | streams["reduce_scatter"] and streams["all_gather"] != streams["reduce_scatter"]


def test_fsdp_gathers_the_next_layer_while_one_computes(traced):
    nodes = traced("fully_sharded", 2).ranks[0].nodes
    gathers = [place for place, node in enumerate(nodes) if node.collective == "all_gather" and node.pass_ == "backward"]

    def after(place, seen):
        for other in nodes[place].needs + nodes[place].follows:
            if other not in seen:
                seen.add(other)
                after(other, seen)
        return seen

    products_before = [place for place in after(gathers[1], set()) if (nodes[place].kernel or {}).get("layout") in ("nn", "nt")
                       and nodes[place].pass_ == "backward"]
    assert len(products_before) <= 2  # the head's at most, not those of the layer before


def test_a_gathered_weight_is_needed_by_its_products(traced):
    nodes = traced("fully_sharded", 2).ranks[0].nodes
    gathers = {place for place, node in enumerate(nodes) if node.collective == "all_gather"}
    for node in nodes:
        if (node.kernel or {}).get("kind") == "gemm" and node.pass_ == "forward":
            direct = set(node.needs) | {other for need in node.needs for other in nodes[need].needs}
            assert direct & gathers


# --- tensor and sequence parallel
@pytest.mark.parametrize("share", [2, 4])
def test_sequence_parallel_gathers_before_and_scatters_after(traced, share):
    trace = traced("tensor_parallel", share)
    whole = 2 * ROWS * H
    gathers, scatters = communication(trace, "all_gather"), communication(trace, "reduce_scatter")
    # forward: before both halves of a layer and the head; backward: of their outputs' gradients, and the embedding's
    assert [node.bytes for node in gathers] == [whole] * (2 * LAYERS + 1 + 2 * LAYERS + 1)
    assert [node.bytes for node in scatters] == [whole] * (2 * LAYERS + 1 + 2 * LAYERS + 1)
    assert {group.role for group in trace.groups} == {"tensor"} and len(trace.groups[0].ranks) == share
    assert products(trace) == expected_products(share=share)


def test_the_loss_over_a_split_vocabulary_sums_three_numbers_a_token(traced):
    forward = [node for node in communication(traced("tensor_parallel", 2), "all_reduce") if node.pass_ == "forward"]
    assert len(forward) == 3 and all(node.bytes <= 4 * ROWS for node in forward)


# --- pipeline
def test_1f1b_sends_what_it_must_and_in_order(traced):
    for rank, order in ((0, "ssrsrsrr"), (1, "rsrsrsrs")):
        trace = traced("pipeline", 2, rank)
        messages = communication(trace)
        assert {node.kind for node in messages} == {"send", "recv"} and {node.bytes for node in messages} == {2 * ROWS * H}
        assert {node.peer for node in messages} == {1 - rank}
        assert products(trace) == Counter({key: 4 * count for key, count in
                                           expected_products(layers=LAYERS // 2, head=rank == 1).items()})
        sends = [node.pass_ for node in messages if node.kind == "send"]
        assert sends == ["backward" if rank else "forward"] * 4
        received = [node.pass_ for node in messages if node.kind == "recv"]
        assert received == ["forward" if rank else "backward"] * 4
        batched = Counter(node.launch for node in messages if node.launch >= 0)
        assert set(batched.values()) <= {2}
        assert "".join(node.kind[0] for node in messages) == order


def test_the_first_of_four_stages_runs_ahead(traced):
    kinds = [node.kind for node in traced("pipeline", 4, 0).ranks[0].nodes if node.kind in ("send", "recv")]
    assert kinds[:4] == ["send"] * 4 and kinds.count("recv") == 4


# --- context parallel
def test_ring_attention_passes_keys_and_values_round(traced):
    ring = 2
    trace = traced("context_parallel", ring)
    rows = ROWS // ring
    rounds = communication(trace, "all_to_all")
    keys_values = 2 * 2 * rows * H
    forward = [node.bytes for node in rounds if node.pass_ == "forward"]
    assert forward == [keys_values] * (ring - 1) * LAYERS
    assert products(trace) == expected_products(rows=rows)
    assert sum(node.bytes for node in communication(trace, "all_reduce")) == 2 * WEIGHTS


def test_every_rank_of_a_balanced_ring_attends_as_much(traced):
    def pairs(trace):
        total = 0
        for node in trace.ranks[0].nodes:
            key = node.kernel or {}
            if key.get("kind") == "attention_forward":
                total += key["m"] * key["n"] * key["batch"] // (2 if "causal" in key else 1)
        return total

    counts = [pairs(traced("context_parallel", 4, rank)) for rank in range(4)]
    assert len(set(counts)) == 1 and counts[0] == LAYERS * 16 * 256 * 256 // 2 // 4
