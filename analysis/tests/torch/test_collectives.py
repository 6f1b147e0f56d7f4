"""Every communication that PyTorch issues, as the trace tells it: bytes as nccl-tests counts them."""

import pytest

from echo_sweep import tracer

WORLD, RANK, SIZE = 4, 1, 64  # SIZE numbers of 32 bit on each rank


def issued(issue):
    """Nodes of what `issue(dist, tensor)` communicates; tensor(n) has n numbers of 32 bit."""

    def build():
        import torch
        import torch.distributed as dist

        dist.init_process_group("nccl")
        return lambda: issue(dist, lambda n=SIZE: torch.zeros(n, device="cuda"))

    trace = tracer.trace_step(build, WORLD, RANK, warmup=0)
    return [node for node in trace.ranks[0].nodes if node.kind in ("collective", "send", "recv")], trace


def functional():
    import torch.distributed._functional_collectives as functional_collectives

    return functional_collectives


@pytest.mark.parametrize("kind, moved, issue", [
    ("all_reduce", 4 * SIZE, lambda dist, t: dist.all_reduce(t())),
    ("broadcast", 4 * SIZE, lambda dist, t: dist.broadcast(t(), src=2)),
    ("reduce", 4 * SIZE, lambda dist, t: dist.reduce(t(), dst=2)),
    ("all_gather", 16 * SIZE, lambda dist, t: dist.all_gather_into_tensor(t(4 * SIZE), t())),
    ("all_gather", 16 * SIZE, lambda dist, t: dist.all_gather([t() for _ in range(4)], t())),
    ("reduce_scatter", 16 * SIZE, lambda dist, t: dist.reduce_scatter_tensor(t(), t(4 * SIZE))),
    ("reduce_scatter", 16 * SIZE, lambda dist, t: dist.reduce_scatter(t(), [t() for _ in range(4)])),
    ("all_to_all", 4 * SIZE, lambda dist, t: dist.all_to_all_single(t(), t())),
    ("all_to_all", 16 * SIZE, lambda dist, t: dist.all_to_all([t() for _ in range(4)], [t() for _ in range(4)])),
    ("all_reduce", 4 * SIZE, lambda dist, t: functional().all_reduce(t(), "sum", dist.group.WORLD) + 1),
    ("all_gather", 16 * SIZE, lambda dist, t: functional().all_gather_tensor(t(), 0, dist.group.WORLD) + 1),
    ("reduce_scatter", 4 * SIZE, lambda dist, t: functional().reduce_scatter_tensor(t(), "sum", 0, dist.group.WORLD) + 1),
    ("all_to_all", 4 * SIZE, lambda dist, t: functional().all_to_all_single(t(), None, None, dist.group.WORLD) + 1)])
def test_collectives(kind, moved, issue):
    nodes, trace = issued(issue)
    assert [(node.kind, node.collective, node.bytes, node.precision) for node in nodes] == [("collective", kind, moved, "fp32")]
    assert trace.group_named()[nodes[0].group].ranks == [0, 1, 2, 3]
    assert nodes[0].peer == (2 if kind in ("broadcast", "reduce") else -1)


def test_messages_name_global_ranks_and_tags():
    def ring(dist, tensor):
        odd = dist.new_group([1, 3])
        dist.send(tensor(), 3, group=odd, tag=5)
        dist.recv(tensor(), 3, group=odd, tag=6)

    nodes, trace = issued(ring)
    assert [(node.kind, node.peer, node.tag, node.bytes) for node in nodes] == [("send", 3, 5, 256), ("recv", 3, 6, 256)]
    assert trace.group_named()[nodes[0].group].ranks == [1, 3]


def test_batched_messages_go_out_as_one():
    def exchange(dist, tensor):
        for _ in range(2):
            operations = [dist.P2POp(dist.isend, tensor(), 2), dist.P2POp(dist.irecv, tensor(), 0)]
            for work in dist.batch_isend_irecv(operations):
                work.wait()

    nodes, _ = issued(exchange)
    assert [(node.kind, node.peer) for node in nodes] == [("send", 2), ("recv", 0)] * 2
    assert [node.launch for node in nodes] == [0, 0, 1, 1] and len({node.stream for node in nodes}) == 1


def test_coalesced_collectives_go_out_as_one():
    def several(dist, tensor):
        with dist.distributed_c10d._coalescing_manager(async_ops=True) as works:
            for _ in range(3):
                dist.all_reduce(tensor())
        works.wait()

    nodes, _ = issued(several)
    assert [node.collective for node in nodes] == ["all_reduce"] * 3 and [node.bytes for node in nodes] == [4 * SIZE] * 3
    assert len({node.launch for node in nodes}) == 1 and nodes[0].launch >= 0


def test_what_takes_a_result_needs_the_collective_and_what_made_its_input():
    nodes = []

    def chain(dist, tensor):
        x = tensor() + 1
        dist.all_reduce(x, async_op=True).wait()
        nodes.append(x * 2)

    _, trace = issued(chain)
    names = [node.name for node in trace.ranks[0].nodes]
    add, reduction, product = names.index("add"), names.index("allreduce"), names.index("mul")
    assert trace.ranks[0].nodes[reduction].needs == [add] and trace.ranks[0].nodes[product].needs == [reduction]
    assert trace.ranks[0].nodes[reduction].stream != trace.ranks[0].nodes[product].stream == 0


def test_a_synchronous_collective_is_on_the_current_stream():
    nodes, _ = issued(lambda dist, tensor: dist.all_reduce(tensor()))
    assert nodes[0].stream == 0


def test_gathers_are_told_as_left_out():
    nodes, trace = issued(lambda dist, tensor: dist.gather(tensor(), None, dst=0))
    assert nodes == [] and any("gather" in note for note in trace.notes)


def test_objects_come_back_as_this_rank_s():
    seen = []

    def exchange(dist, tensor):
        seen[:] = [None] * WORLD
        dist.all_gather_object(seen, {"a": 1})

    assert issued(exchange)[0] == [] and seen == [{"a": 1}] * WORLD


def test_nothing_stays_changed_afterwards():
    import torch
    import torch.distributed as dist
    import torch.nn.functional as F

    before = (dist.init_process_group, torch.cuda.set_device, F.dropout, torch.nn.Module._apply, dist.Work.wait)
    issued(lambda dist, tensor: None)
    assert before == (dist.init_process_group, torch.cuda.set_device, F.dropout, torch.nn.Module._apply, dist.Work.wait)
    assert not dist.is_initialized() and torch.zeros(2).sum().item() == 0
