"""A stretch of a program in which this process is one rank of many and its ops are recorded."""

import contextlib

import torch
import torch.distributed as dist

from . import deepspeed_peers, environment, megatron_core
from .as_cuda import AsCuda, choose_kernels, stay_in_backward
from .compiled import fake_compile
from .fsdp1 import fake_fsdp1
from .groups import Groups
from .imports import AfterImport
from .passes import Passes
from .patches import Patches
from .recorder import Recorder
from .routing import Routing, read_loads
from .trace_file import RankTrace, Trace, TraceError


class Recording:
    """`on_step_end(recording)` is called at the end of each optimizer.step(). One at a time. `routing`: "balanced" or a file
    of loads (routing.py), in place of what routers choose."""

    def __init__(self, world, rank=0, ranks_per_node=8, on_step_end=None, routing=None):
        if not 0 <= rank < world:
            raise TraceError(f"rank {rank} is none of a world of {world}; choose 0 to {world - 1}")
        self.world, self.rank, self.ranks_per_node = world, rank, min(world, ranks_per_node)
        self.groups = Groups(world)
        self.passes = Passes(lambda optimizer: on_step_end(self) if on_step_end else None)
        self.routing = routing
        self.recorder = Recorder(self.groups, self.passes, rank,
                                 Routing(read_loads(routing), lambda: self.passes.place) if routing else None)
        self.patches = Patches()
        self.finished = None

    def __enter__(self):
        if dist.is_initialized():
            raise TraceError("a process group exists already; begin the recording before init_process_group")
        self._entered = contextlib.ExitStack()
        try:
            self._set_up()
        except BaseException:
            self._entered.close()
            self.passes.unhook()
            self.patches.undo()
            raise
        return self

    def _set_up(self):
        environment.set_environment(self.patches, self.world, self.rank, self.ranks_per_node)
        environment.fake_groups(self.patches, self.groups, self.world, self.rank)
        environment.agreeing_peers(self.patches)
        environment.fake_cuda(self.patches, self.recorder.clock, self.ranks_per_node)
        environment.fake_meshes(self.patches, self.groups)
        environment.note_users(self.patches, self.groups)
        fake_fsdp1(self.patches, self.groups)
        environment.one_launch(self.patches, self.recorder)
        environment.cuda_choices(self.patches)
        choose_kernels(self.patches, self.recorder)
        fake_compile(self.patches, self.recorder)
        as_cuda = AsCuda(self.recorder)
        stay_in_backward(self.patches, as_cuda)
        self.passes.hook()
        self._entered.enter_context(AfterImport(megatron_core.changes(self.patches) | deepspeed_peers.changes(self.patches)))
        self._entered.enter_context(self.recorder)
        self._entered.enter_context(as_cuda)

    def __exit__(self, *error):
        self._entered.close()
        if self.finished is None:
            self.finish()
        self.passes.unhook()
        self.patches.undo()
        if dist.is_initialized():
            with contextlib.suppress(Exception):
                dist.destroy_process_group()

    def restart(self):
        """The step begins here; what was recorded before is forgotten."""
        self.recorder.restart()

    def finish(self):
        """The step ends here; what runs after is not in the trace."""
        self.finished = list(self.recorder.nodes)

    def trace(self):
        nodes = self.recorder.nodes if self.finished is None else self.finished
        _receive_where_taken(nodes)
        used = {node.group for node in nodes}
        groups = [group for group in self.groups.used() if group.name in used]
        notes = [f"left out, as the format has no word for it: {name}" for name in sorted(self.recorder.left_out)]
        notes += ["values are not known without a GPU: numbers read by the host were taken as 1, conditions as false"] if any(
            node.kind == "wait" and node.name == "item" for node in nodes) else []
        notes += sorted(self.recorder.notes)
        if self.routing:
            notes.append("routers choose as many tokens for every expert" if self.routing == "balanced" else
                         f"routers choose by the loads of {self.routing}")
        return Trace(self.world, groups, [RankTrace(self.rank, nodes)], source=f"torch {torch.__version__}, fake", notes=notes)

    def families(self):
        return self.groups.families()


def _receive_where_taken(nodes):
    """What is received belongs to the pass of the first op that takes it."""
    waiting = {place for place, node in enumerate(nodes) if node.kind == "recv"}
    for node in nodes:
        for place in waiting.intersection(node.needs):
            nodes[place].pass_ = node.pass_
            waiting.discard(place)
