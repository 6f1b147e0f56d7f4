"""The kernels that Inductor would make of a graph on a GPU: its scheduler's groups, formed without a GPU.

A function of tensors is traced by AOTAutograd on a CPU, with Inductor's decompositions; forward and backward are parted as
Inductor parts them; then the graphs are said to be on CUDA, lowered, and scheduled for Triton on an H100's properties. A
group of the scheduler is one kernel: those fused into one, or a library's (products, attention). No code is generated
and nothing is tuned: `max_autotune`, CUDA graphs and templates of products are left out.
"""

import contextlib
from typing import NamedTuple

import torch
import torch.utils._pytree as pytree

from . import gpu
from .patches import Patches


class Group(NamedTuple):
    """One kernel."""
    name: str
    reads: list    # names of tensors
    writes: list
    moved: int     # bytes in and out
    op: object     # of a library's kernel: its node in the graph, else None
    reduces: bool  # whether it sums or takes largest values over elements


class View(NamedTuple):
    """A tensor of a graph: where in which memory."""
    base: str
    shape: tuple
    strides: tuple
    offset: int
    dtype: object


class Graph(NamedTuple):
    inputs: list   # names
    made: dict     # name: View of itself, for tensors that kernels make
    groups: list
    outputs: list  # View, or None


class Pair(NamedTuple):
    forward: Graph
    backward: object  # Graph, or None
    saved: list       # which outputs of forward are inputs of backward, and where: [(output, input)]
    tangents: list    # which inputs of backward are gradients of which outputs: [(output, input)]


def pair_of(function, inputs, with_backward):
    """Of `function(*inputs) -> tuple of tensors`; inputs: tensors whose shapes alone count. May raise anything."""
    from functorch.compile import min_cut_rematerialization_partition
    from torch._functorch.aot_autograd import aot_export_joint_simple
    from torch._guards import TracingContext, tracing
    from torch._inductor import compile_fx
    from torch._inductor.decomposition import select_decomp_table
    from torch._subclasses.fake_tensor import FakeTensorMode

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        args = [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, requires_grad=t.requires_grad) for t in inputs]
    with mode, tracing(TracingContext(mode)), _on_a_gpu():
        joint = aot_export_joint_simple(function, args, trace_joint=with_backward, decompositions=select_decomp_table())
        outputs = len(joint.graph.find_nodes(op="output")[0].args[0])
        compile_fx._recursive_joint_graph_passes(joint)
        _move_to_cuda(joint)
        if not with_backward:
            return Pair(_scheduled(joint, mode, False), None, [], [])
        outputs -= len(inputs)
        forward, backward = min_cut_rematerialization_partition(joint, [], compiler="inductor", num_fwd_outputs=outputs)
        return Pair(_scheduled(forward, mode, False), _scheduled(backward, mode, True), *_joined(forward, backward, outputs))


@contextlib.contextmanager
def _on_a_gpu():
    """What Inductor asks of CUDA and Triton."""
    from torch._dynamo.device_interface import CudaInterface
    from torch._inductor import scheduler

    patches = Patches()
    for owner, name, value in ((torch.cuda, "get_device_properties", gpu.PROPERTIES), (torch.cuda, "current_device", 0),
                               (torch.cuda, "is_available", False),  # or Inductor's patterns are made of tensors there
                               (torch.cuda, "get_device_capability", gpu.CAPABILITY),
                               (CudaInterface, "get_device_properties", gpu.PROPERTIES),
                               (CudaInterface, "get_compute_capability", 10 * gpu.CAPABILITY[0] + gpu.CAPABILITY[1]),
                               (CudaInterface.Worker, "get_device_properties", gpu.PROPERTIES)):
        patches.set(owner, name, staticmethod(lambda *args, value=value, **how: value) if owner is not torch.cuda else
                    lambda *args, value=value, **how: value)
    if hasattr(scheduler, "has_triton"):
        patches.set(scheduler, "has_triton", lambda *args: True)
    try:
        yield
    finally:
        patches.undo()


def _move_to_cuda(graph_module):
    """A backward on CUDA needs CUDA's threads even for shapes alone, so graphs are traced on a CPU."""
    def moved(value):
        if not isinstance(value, torch.Tensor):
            return value
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="cuda")

    for node in graph_module.graph.nodes:
        if "val" in node.meta:
            node.meta["val"] = pytree.tree_map(moved, node.meta["val"])
        node.meta.pop("tensor_meta", None)
        if "device" in node.kwargs:
            node.kwargs = {**node.kwargs, "device": torch.device("cuda", 0)}


def _joined(forward, backward, outputs):
    names = [getattr(node, "name", None) for node in forward.graph.find_nodes(op="output")[0].args[0]]
    saved, tangents = [], []
    for place, node in enumerate(backward.graph.find_nodes(op="placeholder")):
        if node.name.startswith("tangents_"):
            tangents.append((int(node.name.removeprefix("tangents_")) - 1, place))
        else:
            saved.append((names.index(node.name, outputs), place))
    return saved, tangents


def _scheduled(graph_module, mode, is_backward):
    from torch._inductor import compile_fx
    from torch._inductor.debug import DebugContext
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V

    inputs = [node.meta["val"] for node in graph_module.graph.find_nodes(op="placeholder")]
    with V.set_fake_mode(mode), V.set_debug_handler(DebugContext()):
        compile_fx._recursive_post_grad_passes(graph_module, is_inference=False)
        lowered = GraphLowering(graph_module, example_inputs=inputs, is_backward=is_backward, shape_env=mode.shape_env)
        with V.set_graph_handler(lowered):
            lowered.run(*inputs)
            lowered.init_wrapper_code()
            lowered._update_scheduler()
            return _read(lowered)


def _read(lowered):
    from torch._inductor import ir
    from torch._inductor.scheduler import NopKernelSchedulerNode

    made, parts = {}, {}  # parts: of a kernel with several results, by the name of what has them all
    for buffer in lowered.buffers:
        name = buffer.get_name()
        if isinstance(buffer, ir.MultiOutput):
            parts.setdefault(buffer.inputs[0].get_name(), []).append(name)
        if not isinstance(buffer.layout, (ir.MultiOutputLayout, ir.NoneLayout, ir.MutationLayoutSHOULDREMOVE)):
            made[name] = _view(name, buffer.layout)
    groups = []
    for node in lowered.scheduler.nodes:
        if not isinstance(node, NopKernelSchedulerNode) and not isinstance(node.node, ir.MultiOutput):
            groups.append(_group(node, parts))
    return Graph(list(lowered.graph_input_names), made, groups, [_output(out) for out in lowered.graph_outputs])


def _group(node, parts):
    from torch._inductor import ir
    from torch._inductor.utils import get_fused_kernel_name

    own = list(node.get_buffer_names())
    writes = [name for one in own for name in (one, *parts.get(one, ()))]
    writes += [name for part in node.get_nodes() for output in part.get_outputs() for name in output.get_mutations()]
    reads = [dependency.name for dependency in node.read_writes.reads if dependency.name not in own]
    moved = int(node.get_read_write_buffers_sizes())
    if isinstance(node.node, (ir.ExternKernel, ir.ExternKernelOut)):
        return Group(node.node.get_name(), reads, writes, moved, node.node.get_origin_node() or _asked(node.node), False)
    kernels = [part for part in node.get_nodes() if part.node is not None]
    reduces = any(part.is_reduction() for part in kernels)
    return Group(("triton_red_" if reduces else "triton_poi_") + get_fused_kernel_name(kernels, "original_aten"), reads,
                 writes, moved, None, reduces)


def _asked(kernel):
    """The node of the graph that a library's kernel does, where the kernel does not name it."""
    wanted = getattr(kernel, "op_overload", None)
    found = [node for node in kernel.origins if node.op == "call_function" and wanted in (None, node.target)]
    return found[0] if len(found) == 1 or wanted is not None and found else None


def _view(name, layout):
    shape, strides = (tuple(int(size) for size in sizes) for sizes in (layout.size, layout.stride))
    return View(name, shape, strides, int(layout.offset), layout.dtype)


def _output(out):
    from torch._inductor import ir

    if isinstance(out, (ir.NoneAsConstantBuffer, ir.ShapeAsConstantBuffer)):
        return None
    return _view(out.get_name(), out.get_layout())


