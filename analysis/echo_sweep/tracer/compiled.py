"""torch.compile, whose kernels are recorded by their fusion groups (fusion_groups.py).

A compiled module's forward, or a function of tensors, is one graph, without Dynamo: where Dynamo would break the graph, or
split it at DDP's buckets, it is not. What cannot be captured so (communication in it, arguments changed in place, results
that are views of arguments, numbers read of tensors) runs as if not compiled, and the trace's notes say so.
"""

import contextlib

import torch
import torch.utils._pytree as pytree
from torch.overrides import _len_torch_function_stack, _pop_mode_temporarily
from torch.utils._python_dispatch import _disable_current_modes

from . import collectives, fusion_groups
from .kernels import copy_of, kernel_of, without_defaults
from .recorder import facts_of, flops_of
from .trace_file import Node


def fake_compile(patches, recorder):
    def compile(model=None, *, backend="inductor", disable=False, **how):
        if model is None:
            return lambda function: compile(function, backend=backend, disable=disable, **how)
        if disable or backend != "inductor":
            if not disable:
                recorder.notes.add(f"compiled by {backend}, of which nothing is known: traced as if not compiled")
            return model
        return _compiled(model, recorder)

    patches.set(torch, "compile", compile)
    patches.set(torch.nn.Module, "compile", lambda self, *args, **how: (compile(self, *args, **how), None)[1])


def _compiled(model, recorder):
    if isinstance(model, torch.nn.parallel.DistributedDataParallel):
        recorder.notes.add("the module within DistributedDataParallel is compiled as one graph; Dynamo splits it at buckets")
        _compiled(model.module, recorder)
        return model
    if isinstance(model, torch.nn.Module):  # hooks stay outside, as FSDP's gather what the forward takes
        model.forward = Compiled(model.forward, model, recorder)
        return model
    owner = getattr(model, "__self__", None)
    return Compiled(model, owner if isinstance(owner, torch.nn.Module) else None, recorder)


class Compiled:
    """A function, with the tensors of the module that it is of."""

    def __init__(self, function, module, recorder):
        self._function, self._module, self._recorder = function, module, recorder
        self._known = {}  # signature: _Program, or None
        for name in ("__name__", "__qualname__", "__doc__", "__wrapped__"):
            with contextlib.suppress(AttributeError):
                setattr(self, name, getattr(function, name))

    def __get__(self, instance, owner=None):
        return self if instance is None else lambda *args, **how: self(instance, *args, **how)

    def __call__(self, *args, **how):
        recorder = self._recorder
        if recorder.compiling or not any(recorder.is_ours(value) for value in pytree.tree_leaves((args, how))):
            return self._function(*args, **how)
        held = {} if self._module is None else dict([*self._module.named_parameters(), *self._module.named_buffers()])
        leaves, form = pytree.tree_flatten((args, how))
        places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        inputs = [*held.values(), *(leaves[place] for place in places)]
        rest = [None if place in places else leaf for place, leaf in enumerate(leaves)]
        training = self._module is not None and self._module.training
        signature = (form, repr(rest), training, torch.is_grad_enabled(), torch.is_autocast_enabled("cpu"),
                     torch.get_autocast_dtype("cpu"), tuple((tuple(t.shape), t.stride(), t.dtype, t.requires_grad)
                                                            for t in inputs))
        if signature not in self._known:
            self._known[signature] = self._program(list(held), places, rest, form, inputs)
        program = self._known[signature]
        return self._function(*args, **how) if program is None else program.run(recorder, inputs)

    def _program(self, names, places, rest, form, inputs):
        result = {}

        def whole(*tensors):
            leaves = list(rest)
            for place, tensor in zip(places, tensors[len(names):]):
                leaves[place] = tensor
            args, how = pytree.tree_unflatten(leaves, form)
            within = contextlib.nullcontext() if self._module is None else torch.nn.utils.stateless._reparametrize_module(
                self._module, dict(zip(names, tensors)))
            with within:
                found, result["form"] = pytree.tree_flatten(self._function(*args, **how))
            result["tensors"] = [isinstance(value, torch.Tensor) for value in found]
            result["rest"] = [None if is_tensor else value for value, is_tensor in zip(found, result["tensors"])]
            return tuple(value for value in found if isinstance(value, torch.Tensor))

        recorder = self._recorder
        with_backward = torch.is_grad_enabled() and any(t.requires_grad for t in inputs)
        recorder.compiling = True
        try:
            if any(type(t) not in (torch.Tensor, torch.nn.Parameter) and not recorder.is_ours(t) for t in inputs):
                raise NotImplementedError("tensors that are made of others")
            with _without_modes():
                return _Program(fusion_groups.pair_of(whole, inputs, with_backward), result)
        except Exception as error:  # noqa: BLE001 - whatever Inductor raises: the function itself still runs
            name = getattr(self._function, "__qualname__", "a function")
            why = " ".join(str(error).split())[:120]
            recorder.notes.add(f"{name} is traced as if not compiled: {type(error).__name__}: {why}")
            return None
        finally:
            recorder.compiling = False


@contextlib.contextmanager
def _without_modes():
    with contextlib.ExitStack() as entered:
        for _ in range(_len_torch_function_stack()):
            entered.enter_context(_pop_mode_temporarily())
        entered.enter_context(_disable_current_modes())
        yield


class _Program:
    """Forward and backward of a graph: kernels to be recorded, tensors to be made."""

    def __init__(self, pair, result):
        self.pair, self._result = pair, result

    def run(self, recorder, inputs):
        count = sum(self._result["tensors"])
        if self.pair.backward is None:
            tensors = _issue(recorder, self.pair.forward, inputs)
        else:
            tensors = _Function.apply(self, recorder, count, *inputs)
        found = iter(tensors[:count])
        return pytree.tree_unflatten([next(found) if is_tensor else rest for is_tensor, rest in
                                      zip(self._result["tensors"], self._result["rest"])], self._result["form"])


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, program, recorder, count, *inputs):
        outputs = _issue(recorder, program.pair.forward, inputs)
        ctx.program, ctx.recorder, ctx.inputs = program, recorder, len(inputs)
        ctx.save_for_backward(*(outputs[place] for place, _ in program.pair.saved))
        return tuple(outputs[:count])

    @staticmethod
    def backward(ctx, *gradients):
        pair = ctx.program.pair
        inputs = [None] * (len(pair.saved) + len(pair.tangents))
        for (_, place), tensor in zip(pair.saved, ctx.saved_tensors):
            inputs[place] = tensor
        for output, place in pair.tangents:
            inputs[place] = gradients[output]
        return None, None, None, *_issue(ctx.recorder, pair.backward, inputs)


def _issue(recorder, graph, inputs):
    """Records the kernels of a graph over `inputs`; its outputs."""
    tensors = dict(zip(graph.inputs, inputs))

    def made(name):
        if name not in tensors and name in graph.made:
            view = graph.made[name]
            tensors[name] = torch.empty_strided(view.shape, view.strides, dtype=view.dtype, device="cpu")
            if not recorder.is_ours(tensors[name]):
                tensors[name] = recorder.fake_mode.from_tensor(tensors[name])
        return tensors.get(name)

    for group in graph.groups:
        reads, writes = ([tensor for name in names if (tensor := made(name)) is not None]
                         for names in (group.reads, group.writes))
        if writes:
            recorder.add(_node(group), reads, writes)
    outputs = []
    for view in graph.outputs:
        tensor = None if view is None else made(view.base)
        if tensor is not None and (tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.dtype) != view[1:]:
            tensor = tensor.detach().as_strided(view.shape, view.strides, view.offset)
        outputs.append(tensor)
    return outputs


def _node(group):
    if group.op is None:
        key = None if group.reduces else without_defaults(copy_of(group.moved))
        return Node(name=group.name, kernel=key, bytes=group.moved)
    func = group.op.target

    def value(item):
        return pytree.tree_map(lambda one: one.meta["val"] if isinstance(one, torch.fx.Node) else one, item)

    args, how, result = value(list(group.op.args)), value(dict(group.op.kwargs)), group.op.meta.get("val")
    space, _, rest = func._schema.name.partition("::")
    arguments = collectives.named_arguments(func, args, how)
    facts = {name: pytree.tree_map(lambda one: facts_of(one) if isinstance(one, torch.Tensor) else one, item)
             for name, item in arguments.items()}
    written = [facts_of(t) for t in collectives.flat([list(result) if isinstance(result, (list, tuple)) else result])]
    key = kernel_of(f"{space}.{rest}", facts, [facts_of(t) for t in collectives.flat(args)], written,
                    torch.Tag.pointwise in func.tags, torch.backends.cuda.matmul.allow_tf32)
    return Node(name=f"{space}.{rest}".removeprefix("aten."), kernel=key, flops=flops_of(func, args, how, result),
                bytes=group.moved)
