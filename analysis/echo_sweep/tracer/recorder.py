"""Sees every op that PyTorch dispatches, and keeps those that a GPU would run.

Tensors of the model are fake: shapes and strides without values, so no memory and no arithmetic (PyTorch's
FakeTensorMode). Floating-point tensors become fake where they are made; integers, masks and what is loaded from files
keep their values, as the host code of a program looks at them. An op is one of the GPU's where a fake tensor takes
part. Views, allocations and questions about tensors cost nothing there and are left out.
"""

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensor, FakeTensorMode
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils.flop_counter import flop_registry

from . import collectives
from .dependencies import Extent, Writers
from .kernels import kernel_of, traffic_of
from .routing import CHOICES, FILLS, sized
from .streams import Clock
from .tensor_facts import TensorFacts
from .trace_file import Node

DTYPES = {torch.bfloat16: "bf16", torch.float16: "fp16", torch.float32: "fp32", torch.float64: "fp64", torch.int64: "int64",
          torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8", torch.bool: "bool",
          torch.float8_e4m3fn: "fp8", torch.float8_e5m2: "fp8", torch.complex64: "complex64"}
# Types of communication: by the size of an element, as the trace has no words for integers.
ELEMENTS = {"bf16": "bf16", "fp16": "fp16", "int16": "fp16", "fp8": "fp8", "int8": "fp8", "uint8": "fp8", "bool": "fp8"}

COSTS_NOTHING = {f"aten.{name}" for name in (
    "detach", "alias", "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "lift_fresh", "_unsafe_view",
    "set_", "resize_", "record_stream", "lift", "_reshape_alias", "is_same_size", "sym_size", "sym_stride", "sym_numel",
    "_has_compatible_shallow_copy_type", "detach_", "_local_scalar_dense", "is_pinned", "_nested_tensor_from_mask")}
# Their schema does not say that the first result, a part of an argument, is written.
COPIES_INTO_A_PART = ("fsdp.all_gather_copy_in",)
NO_GPU_WORK = ("prim", "prims", "profiler", "inductor", "_test", "debugprims")
MOVES_NOTHING = ("barrier", "monitored_barrier_", "check_for_nan")
MADE_UP = {torch.bool: False, torch.uint8: 0}  # what a program reads of a tensor without values (bytes are flags); else 1


def facts_of(tensor):
    return TensorFacts(tuple(tensor.shape), DTYPES.get(tensor.dtype, "fp32"), tuple(tensor.stride()))


def _facts_in(value):
    if isinstance(value, torch.Tensor):
        return facts_of(value)
    return [_facts_in(item) for item in value] if isinstance(value, (list, tuple)) else value


class Recorder(TorchDispatchMode):
    def __init__(self, groups, passes, rank, routing=None):
        super().__init__()
        self.routing = routing
        self.fake_mode = FakeTensorMode(allow_non_fake_inputs=True)
        self.groups, self.passes, self.rank = groups, passes, rank
        self.clock, self.launch = Clock(), None
        self.clock.host_waits = self.host_waits_for
        self.compiling = False  # a graph is captured, with tensors of its own
        self.notes = set()
        self.paused = 0  # communication that sets things up is left out
        self.works = {}  # id of a Work: (the Work, its nodes)
        self.launches = 0
        self._storages = {}  # address: reference that keeps the address from being used again
        self.restart()

    def restart(self):
        """Forgets all nodes: the step begins here."""
        self.nodes, self.writers, self.left_out = [], Writers(), set()
        self.launches = 0
        self.clock.restart()
        self.works.clear()

    # --- tensors
    def is_ours(self, tensor):
        return isinstance(tensor, FakeTensor) and tensor.fake_mode is self.fake_mode

    def holds(self, tensor):
        """Whether a GPU would hold it, though it has values."""
        return self.routing is not None and isinstance(tensor, torch.Tensor) and not self.is_ours(tensor) and (
            type(tensor) is torch.Tensor) and self.routing.holds(self.extent_of(tensor).storage)

    def extent_of(self, tensor):
        storage = tensor.untyped_storage()
        address = storage._cdata
        known = self._storages.get(address)
        if known is None or known.expired():
            self._storages[address] = StorageWeakRef(storage)
            self.writers.forget(address)
            if self.routing:
                self.routing.forget(address)
        span = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) if tensor.numel() else 0
        element = tensor.element_size()
        low = tensor.storage_offset() * element
        return Extent(address, low, low + span * element, span == tensor.numel())

    # --- nodes
    def add(self, node, reads=(), writes=(), stream=None, follows=()):
        stream = self.clock.current.number if stream is None else stream
        node.needs = self.writers.of(self.extent_of(t) for t in reads)
        place = len(self.nodes)
        ordered = self.clock.issue(stream, place) | set(follows)
        node.follows = sorted(other for other in ordered - set(node.needs) if self.nodes[other].stream != stream)
        node.stream, node.pass_ = stream, self.passes.now()
        self.nodes.append(node)
        for tensor in writes:
            self.writers.write(self.extent_of(tensor), place)
        return place

    def add_transfers(self, communication, name):
        """Its nodes. On the stream that PyTorch's NCCL group uses: the current one of a synchronous call (2.8 and newer),
        else the group's own; of sends and receives that go out by themselves, one per pair of ranks."""
        group = self.groups.of(communication.group)
        here = self.clock.current.number
        lone = communication.kind in ("send", "recv") and self.launch is None
        key = (group.name, *sorted((self.rank, communication.peer))) if lone else group.name
        stream = self.clock.stream_of(key) if communication.is_async else here
        launch = -1 if self.launch is None else self.launch
        if launch < 0 and len(communication.payload) > 1:
            launch = self.next_launch()
        transfers = []
        for reads, writes, payload in zip(communication.reads, communication.writes, communication.payload):
            dtype = DTYPES.get(payload[0].dtype, "fp32") if payload else "bf16"
            point_to_point = communication.kind in ("send", "recv")
            transfers.append(self.add(
                Node(kind=communication.kind if point_to_point else "collective", name=name,
                     collective="" if point_to_point else communication.kind, precision=ELEMENTS.get(dtype, "fp32"),
                     bytes=sum(t.numel() * t.element_size() for t in payload), group=group.name, peer=communication.peer,
                     tag=communication.tag, launch=launch),
                reads, writes, stream, self.clock.done_on(here) if stream != here else ()))
            sent = self.nodes[transfers[-1]]
            if sent.kind == "send" and sent.needs:  # pipeline schedules send gradients outside of any backward
                sent.pass_ = self.nodes[sent.needs[-1]].pass_
        return transfers

    def next_launch(self):
        self.launches += 1
        return self.launches - 1

    def host_waits(self, tensor):
        needs = self.writers.of([self.extent_of(tensor)])
        if needs:
            self.add(Node(kind="wait", name="read" if self.holds(tensor) else "item"), [tensor])

    def host_waits_for(self, nodes):
        """Of a stream or an event, until the nodes are done."""
        if nodes:
            self.nodes.append(Node(kind="wait", name="synchronize", pass_=self.passes.now(), stream=-1, needs=sorted(nodes)))

    def host_copy(self, tensor):
        """A tensor with values goes to the GPU."""
        self.add(Node(kind="collective", collective="host_copy", name="copy to device",
                      precision=ELEMENTS.get(DTYPES.get(tensor.dtype, "fp32"), "fp32"),
                      bytes=tensor.numel() * tensor.element_size()), (), [tensor])

    def to_host(self, tensor, waits=True):
        """A copy of a tensor with values that a GPU holds."""
        copied = self.add(Node(kind="collective", collective="host_copy", name="copy to host",
                               precision=ELEMENTS.get(DTYPES.get(tensor.dtype, "fp32"), "fp32"),
                               bytes=tensor.numel() * tensor.element_size()), [tensor])
        if waits:
            self.host_waits_for([copied])
        with _disable_current_modes():
            return tensor.clone()

    # --- ops
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if any(t not in (torch.Tensor, torch.nn.Parameter, FakeTensor) and not issubclass(t, FakeTensor) for t in types):
            return NotImplemented  # DTensor and others first become what they are made of
        space, _, rest = func._schema.name.partition("::")
        if space == "c10d":
            return self._c10d(func, rest, args, kwargs)
        inputs = collectives.flat(list(args) + list(kwargs.values()))
        ours = any(self.is_ours(t) for t in inputs)
        if not ours and not any(self.holds(t) for t in inputs):
            if torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None or any(
                    isinstance(t, FakeTensor) for t in inputs):  # PyTorch asks itself what a shape would be
                return func(*args, **kwargs)
            return self._on_host(func, rest, inputs, args, kwargs)
        if rest == "_local_scalar_dense" or (space == "aten" and rest in ("item", "equal", "is_nonzero")):
            return self._read_value(func, rest, args, kwargs)
        if self.routing:
            args, result = self._with_values(func, f"{space}.{rest}", args, kwargs)
        else:
            result = func(*args, **kwargs)
        if space in collectives.FUNCTIONAL_SPACES:
            self._functional(func, rest, args, kwargs, result)
        elif space not in NO_GPU_WORK:
            self._compute(func, f"{space}.{rest}", args, kwargs, inputs, result)
        return result

    def _with_values(self, func, op, args, kwargs):
        """(arguments, result), where routers choose what they are told to and whole numbers keep their values."""
        routing, arguments = self.routing, collectives.named_arguments(func, args, kwargs)
        arguments, result = sized(op, arguments, self.is_ours)
        if "indices" in arguments and op.startswith("aten.index"):
            args = (args[0], arguments["indices"], *args[2:])
        result = func(*args, **kwargs) if result is None else result
        if op in CHOICES:
            result = routing.chosen(op, arguments, result)
        elif op in FILLS and self.is_ours(result):
            result = routing.fill(op, arguments, result, self.extent_of(result).storage)
        elif op == "aten._to_copy" and self.is_ours(result):
            result = routing.cast(self.extent_of(args[0]).storage, result)
        for tensor in collectives.flat([result]):
            if not self.is_ours(tensor):
                routing.hold(self.extent_of(tensor).storage)
        return args, result

    def _on_host(self, func, name, inputs, args, kwargs):
        """No fake tensor takes part. What makes a floating-point tensor makes a fake one from here on."""
        makes = all(t.is_meta for t in inputs)
        device = kwargs.get("device")
        if makes and (inputs or _is_factory(func, name)) and str(device or "cpu").startswith("cpu") and (
                device is not None or not inputs) and (kwargs.get("dtype") or (
                    inputs[0].dtype if inputs else torch.get_default_dtype())).is_floating_point:
            with self.fake_mode:
                return func(*args, **kwargs)
        return func(*args, **kwargs)

    def _read_value(self, func, name, args, kwargs):
        self.host_waits(args[0])
        try:
            return func(*args, **kwargs)
        except DataDependentOutputException:
            return True if name in ("equal", "is_nonzero") else MADE_UP.get(args[0].dtype, (
                1.0 if args[0].dtype.is_floating_point else 1))

    def _compute(self, func, op, args, kwargs, inputs, result):
        outputs = [t for t in collectives.flat([result]) if isinstance(t, torch.Tensor)]
        if op in COSTS_NOTHING:
            return
        arguments = collectives.named_arguments(func, args, kwargs)
        changed = [t for a in func._schema.arguments if a.alias_info is not None and a.alias_info.is_write
                   for t in collectives.flat([arguments.get(a.name)])]
        held = {t.untyped_storage()._cdata for t in inputs}
        made = [t for t in outputs if t.untyped_storage()._cdata not in held and t.numel()]
        if op in COPIES_INTO_A_PART:
            inputs, changed = collectives.flat([args[0]]), outputs[:1]
        if not changed and not made:
            return
        if self.routing:
            for tensor in changed:
                self.routing.write(self.extent_of(tensor).storage)
        flops = flops_of(func, args, kwargs, result)
        self._add_compute(func, op, arguments, inputs, [t for t in changed or made if t.numel()], flops)

    def _add_compute(self, func, op, arguments, inputs, writes, flops):
        overwrites = op in _ONLY_WRITES
        reads = [t for t in inputs if t.numel() and not (overwrites and any(t is w for w in writes)) and not _is_out(func, t,
                                                                                                            arguments)]
        if not writes:
            return
        facts = {name: _facts_in(value) for name, value in arguments.items()}
        read_facts, written_facts = [facts_of(t) for t in reads], [facts_of(t) for t in writes]
        key = kernel_of(op, facts, read_facts, written_facts, torch.Tag.pointwise in func.tags,
                        torch.backends.cuda.matmul.allow_tf32)
        self.add(Node(name=op.removeprefix("aten."), kernel=key, flops=flops,
                      bytes=traffic_of(op, read_facts, written_facts)), reads, writes)

    # --- communication
    def _functional(self, func, name, args, kwargs, result):
        arguments = collectives.named_arguments(func, args, kwargs)
        if name == "batch_p2p_ops":
            before, self.launch = self.launch, self.next_launch()
            for message in collectives.batched_messages(arguments, result):
                self.add_transfers(message, message.kind)
            self.launch = before
            return
        communication = collectives.functional_communication(name, arguments, result)
        if communication:
            self.add_transfers(communication, name)
            return
        for before, after in zip(collectives.flat(list(args)), collectives.flat([result])):  # wait_tensor
            source, target = self.extent_of(before), self.extent_of(after)
            if target.storage != source.storage:
                self.writers.copy(source, target)
            self.clock.wait(self.clock.current.number, self.writers.of([target]))

    def _c10d(self, func, name, args, kwargs):
        arguments = collectives.named_arguments(func, args, kwargs)
        communication = collectives.c10d_communication(name, arguments)
        issued = []
        if communication and not self.paused:
            issued = self.add_transfers(communication, name.strip("_"))
        elif not communication and name not in MOVES_NOTHING:
            self.left_out.add(name.strip("_"))
        if communication and not any(self.is_ours(t) for t in collectives.flat(communication.payload)):
            with torch.no_grad():
                collectives.pretend(name, arguments)
            if any(self.holds(t) for t in collectives.flat(communication.reads)):
                for tensor in collectives.flat(communication.writes):
                    self.routing.hold(self.extent_of(tensor).storage)
        written = collectives.flat(communication.writes) if communication else []
        future = torch.futures.Future()
        future.set_result(written)
        work = torch._C._distributed_c10d._create_work_from_future(future)
        self.works[id(work)] = (work, issued)
        returns = func._schema.returns
        if not returns:
            return None
        return work.boxed() if len(returns) == 1 else (args[0], work.boxed())

    def work_waited(self, work):
        _, issued = self.works.pop(id(work), (None, ()))
        self.clock.wait(self.clock.current.number, [place for place in issued if place < len(self.nodes)])


_ONLY_WRITES = {f"aten.{name}" for name in ("copy_", "zero_", "fill_", "normal_", "uniform_", "_foreach_copy_", "_foreach_zero_",
                                            "bernoulli_", "random_", "zeros_like", "ones_like", "full_like", "rand_like",
                                            "randn_like", "new_zeros", "new_ones", "new_full")} | {
    "fsdp.all_gather_copy_in", "fsdp.split_with_sizes_copy"}


def _is_factory(func, name):
    """Makes a tensor of nothing; ranges count as host code's."""
    return name not in ("arange", "linspace", "logspace", "scalar_tensor", "from_file") and any(
        str(r.type) == "Tensor" for r in func._schema.returns)


def _is_out(func, tensor, arguments):
    """Whether it is an `out=` argument, which is written without being read."""
    return any(a.kwarg_only and a.alias_info is not None and a.alias_info.is_write and any(
        tensor is t for t in collectives.flat([arguments.get(a.name)])) for a in func._schema.arguments)


def flops_of(func, args, kwargs, result):
    formula = flop_registry.get(func._overloadpacket)
    if formula is None:
        return 0
    try:
        return int(formula(*args, **kwargs, out_val=result))
    except (TypeError, ValueError, AssertionError, IndexError, AttributeError, RuntimeError):
        return 0  # a formula that does not take these arguments says nothing
