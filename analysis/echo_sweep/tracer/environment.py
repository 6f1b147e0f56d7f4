"""Makes this process believe that it is one rank of many: environment, process groups, CUDA's host functions."""

import contextlib
import os

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensor
from torch.distributed import distributed_c10d

from .gpu import CAPABILITY, PROPERTIES
from .group_words import role_of_words
from .streams import stand_ins

HARMLESS = ("set_device", "synchronize", "empty_cache", "init", "_lazy_init", "reset_peak_memory_stats", "manual_seed",
            "manual_seed_all", "ipc_collect", "set_rng_state_all", "reset_max_memory_allocated", "set_per_process_memory_fraction")
NUMBERS = {"current_device": 0, "memory_allocated": 0, "max_memory_allocated": 0, "memory_reserved": 0,
           "max_memory_reserved": 0, "memory_cached": 0, "is_bf16_supported": True, "is_current_stream_capturing": False,
           "get_device_capability": CAPABILITY, "get_device_properties": PROPERTIES, "get_rng_state_all": [], "get_device_name": "traced", "mem_get_info": (80 << 30, 80 << 30)}


def set_environment(patches, world, rank, ranks_per_node):
    local = min(world, ranks_per_node)
    values = {"RANK": rank, "WORLD_SIZE": world, "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": local, "GROUP_RANK": rank // local,
              "NODE_RANK": rank // local, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "trace"}
    for name, value in values.items():
        patches.set_item(os.environ, name, str(value))


class _Device(contextlib.nullcontext):
    """torch.cuda.device, a context."""


def fake_cuda(patches, clock, ranks_per_node):
    """torch.cuda's functions that a training script calls, without a driver."""
    for name in HARMLESS:
        patches.set(torch.cuda, name, lambda *args, **how: None)
    for name, value in NUMBERS.items():
        patches.set(torch.cuda, name, lambda *args, value=value, **how: value)
    for module in (torch.cuda, torch.cuda.random):
        patches.set(module, "get_rng_state", lambda device=None: torch.get_rng_state())
        patches.set(module, "set_rng_state", lambda *args, **how: None)
    patches.set(torch.Tensor, "record_stream", lambda tensor, stream: None)
    patches.set(torch.cuda, "default_generators", (torch.default_generator,) * ranks_per_node)
    patches.set(torch.cuda, "device_count", lambda: ranks_per_node)
    patches.set(torch.cuda, "device", _Device)
    for module in (torch.cuda, torch.cpu):
        for name, value in stand_ins(clock).items():
            patches.set(module, name, value)
    if hasattr(torch, "accelerator"):
        patches.set(torch.accelerator, "current_stream", lambda device=None: clock.current)
    for name in ("range_push", "range_pop", "mark", "range_start", "range_end"):
        patches.set(torch.cuda.nvtx, name, lambda *args, **how: 0)


def fake_groups(patches, groups, world, rank):
    """Every process group is PyTorch's fake one, whatever backend was asked for; each is noted."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    begin, new_group = dist.init_process_group, distributed_c10d.new_group

    def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, **how):
        if dist.is_initialized():
            raise ValueError("trying to initialize the default process group twice!")
        begin("fake", rank=int(os.environ["RANK"]), world_size=world, store=FakeStore())

    def noted_new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False,
                        group_desc=None, **how):
        groups.note_new_group(ranks, group_desc)
        return new_group(ranks, backend="fake", use_local_synchronization=False, group_desc=group_desc)

    for module in (dist, distributed_c10d):
        patches.set(module, "init_process_group", init_process_group)
        patches.set(module, "new_group", noted_new_group)
        patches.set(module, "is_nccl_available", lambda: True)
        patches.set(module, "monitored_barrier", lambda *args, **how: None)
        patches.set(module, "barrier", lambda *args, **how: None)
        patches.wrap(module, "get_backend", lambda was: lambda group=None: "nccl" if was(group) == "fake" else was(group))


def agreeing_peers(patches):
    """Objects that ranks exchange: every peer has what this rank has."""

    def all_gather_object(object_list, obj, group=None):
        object_list[:] = [obj] * len(object_list)

    def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
        if object_gather_list is not None:
            object_gather_list[:] = [obj] * len(object_gather_list)

    def scatter_object_list(output, input_list=None, src=None, group=None, group_src=None):
        if input_list:
            output[0] = input_list[0]

    for module in (dist, distributed_c10d):
        for put in (all_gather_object, gather_object, scatter_object_list):
            patches.set(module, put.__name__, put)
        for name in ("broadcast_object_list", "send_object_list"):
            patches.set(module, name, lambda *args, **how: None)


def fake_meshes(patches, groups):
    """Device meshes of `cuda` are made of the CPU's, and noted."""
    from torch.distributed.device_mesh import DeviceMesh

    make = DeviceMesh.__init__

    def init(self, device_type, *args, **how):
        make(self, "cpu" if device_type == "cuda" else device_type, *args, **how)
        mesh = self.mesh
        if mesh.numel() > 1:
            groups.note_mesh(self.mesh_dim_names, mesh.flatten().tolist(), tuple(mesh.shape))
            for name in self.mesh_dim_names or ():
                with contextlib.suppress(RuntimeError, KeyError):
                    groups.suggest_role(self.get_group(name), role_of_words(name))

    patches.set(DeviceMesh, "__init__", init)


def note_users(patches, groups):
    """Who uses a group says what it is for."""
    from torch.nn.parallel import DistributedDataParallel

    make = DistributedDataParallel.__init__

    def init(self, module, device_ids=None, output_device=None, *args, **how):
        make(self, module, None, None, *args, **how)
        groups.note_role(self.process_group, "data")

    patches.set(DistributedDataParallel, "__init__", init)
    with contextlib.suppress(ImportError, AttributeError):
        from torch.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup

        def noted(was):
            def made(self, *args, **how):
                was(self, *args, **how)
                for name, role in (("shard_process_group", "shard"), ("replicate_process_group", "data")):
                    group = getattr(self.mesh_info, name, None)
                    if group is not None:
                        groups.note_role(group, role)

            return made

        patches.wrap(FSDPParamGroup, "__init__", noted)
    with contextlib.suppress(ImportError, AttributeError):
        from torch.distributed.pipelining.stage import _PipelineStageBase

        def staged(was):
            def made(self, *args, **how):
                was(self, *args, **how)
                groups.note_role(self.group if self.group is not None else dist.group.WORLD, "pipeline")

            return made

        patches.wrap(_PipelineStageBase, "__init__", staged)
    note_mesh_users(patches, groups)


def note_mesh_users(patches, groups):
    """Tensor-parallel styles and ring attention, wherever a program took their functions from."""

    def noted(role, place):
        def around(was):
            def call(*args, **how):
                mesh = how.get("device_mesh", how.get("mesh", args[place] if len(args) > place else None))
                if mesh is not None and mesh.ndim == 1 and mesh.size() > 1:
                    groups.note_role(mesh.get_group(), role)
                return was(*args, **how)

            return call

        return around

    with contextlib.suppress(ImportError):
        from torch.distributed.tensor.parallel.style import ParallelStyle

        for style in ParallelStyle.__subclasses__():
            if "_apply" in vars(style) and style.__module__ == ParallelStyle.__module__:
                patches.wrap(style, "_apply", noted("tensor", 2))
    with contextlib.suppress(ImportError):
        from torch.distributed.tensor.experimental._context_parallel import _attention

        patches.wrap(_attention, "_enable_context_parallel_dispatcher_impl", noted("context", 1))


def one_launch(patches, recorder):
    """batch_isend_irecv and coalesced collectives go out as one."""

    def together(was):
        def call(*args, **how):
            before, recorder.launch = recorder.launch, recorder.next_launch()
            try:
                return was(*args, **how)
            finally:
                recorder.launch = before

        return call

    @contextlib.contextmanager
    def coalescing(group=None, device=None, async_ops=False):
        before, recorder.launch = recorder.launch, recorder.next_launch()
        try:
            with manager(group, None, async_ops) as works:
                yield works
        finally:
            recorder.launch = before

    def unseen(was):
        def call(*args, **how):
            recorder.paused += 1
            try:
                return was(*args, **how)
            finally:
                recorder.paused -= 1

        return call

    patches.wrap(dist.Reducer, "_rebuild_buckets", unseen)  # of DDP, in its second step alone
    manager = distributed_c10d._coalescing_manager
    for module in (dist, distributed_c10d):
        patches.wrap(module, "batch_isend_irecv", together)
    patches.set(distributed_c10d, "_coalescing_manager", coalescing)

    wait = dist.Work.wait

    def waited(work, *args, **how):
        recorder.work_waited(work)
        return wait(work, *args, **how)

    patches.set(dist.Work, "wait", waited)


def cuda_choices(patches):
    """What PyTorch decides by device: optimizers over lists of tensors, autocast, modules that move."""
    from torch.optim import optimizer

    patches.set(optimizer, "_get_foreach_kernels_supported_devices", lambda: ["cuda", "cpu"])
    patches.set(optimizer, "_foreach_supported_types", [*optimizer._foreach_supported_types, FakeTensor])
    make = torch.amp.autocast_mode.autocast.__init__

    def init(self, device_type, *args, **how):
        make(self, "cpu" if device_type == "cuda" else device_type, *args, **how)

    patches.set(torch.amp.autocast_mode.autocast, "__init__", init)
    patches.set(torch.nn.Module, "cuda", lambda self, device=None: self.to("cuda"))
    patches.wrap(torch.nn.Module, "_apply", in_place)


def in_place(apply):
    """Module.to and its like on fake parameters: they stay the objects that optimizers and other modules hold."""
    plain = (torch.Tensor, torch.nn.Parameter, FakeTensor)

    def converted(convert, tensor):
        with torch.no_grad():
            result = convert(tensor)
        if result is tensor:
            return tensor
        if isinstance(tensor, FakeTensor) == isinstance(result, FakeTensor) and not tensor.is_meta:
            tensor.data = result
        elif isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(result, tensor.requires_grad)
        else:
            return result
        if tensor.grad is not None:
            tensor.grad = convert(tensor.grad)
        return tensor

    def _apply(self, convert, recurse=True):
        modules = list(self.modules() if recurse else [self])
        held = [t for module in modules for t in module._parameters.values() if t is not None]
        if any(type(t) not in plain for t in held):
            return apply(self, convert, recurse)
        known = {}  # shared ones are converted once
        for module in modules:
            for own in (module._parameters, module._buffers):
                for name, tensor in own.items():
                    if tensor is not None:
                        if id(tensor) not in known:
                            known[id(tensor)] = (tensor, converted(convert, tensor))
                        own[name] = known[id(tensor)][1]
        return self

    return _apply
