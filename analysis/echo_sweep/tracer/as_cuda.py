"""Lets a program written for CUDA run where there is no GPU, with the kernels it would choose on one.

Tensors stay on the CPU, so that PyTorch's engine runs as it is; what asks for `cuda` gets that, and where PyTorch picks
another kernel for CUDA than for a CPU (attention, RMS norm, dropout, optimizers over lists of tensors) CUDA's is called.
"""

import torch
import torch.nn.functional as F
from torch.distributed.tensor import DTensor
from torch.overrides import TorchFunctionMode

FLASH_TYPES = (torch.bfloat16, torch.float16)


def is_cuda(device):
    if isinstance(device, int) and not isinstance(device, bool):
        return True
    return device is not None and str(device).startswith("cuda")


def _on_cpu(value):
    if isinstance(value, (str, torch.device)) and is_cuda(value):
        return torch.device("cpu")
    return value


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """As torch chooses on a recent NVIDIA GPU: flash for 16 bit without a mask, else memory-efficient."""
    if torch.is_autocast_enabled("cpu"):
        query, key, value = (t.to(torch.get_autocast_dtype("cpu")) for t in (query, key, value))
    if attn_mask is None and query.dtype in FLASH_TYPES and query.dim() == 4 and query.shape[-1] <= 256:
        return torch.ops.aten._scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, scale=scale)[0]
    if query.dim() != 4:
        return None
    if enable_gqa and key.shape[1] != query.shape[1]:
        times = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(times, 1), value.repeat_interleave(times, 1)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(attn_mask.logical_not(), float("-inf"))
        attn_mask = attn_mask.expand(*query.shape[:-1], key.shape[-2])
    return torch.ops.aten._scaled_dot_product_efficient_attention(
        query, key, value, attn_mask, torch.is_grad_enabled(), dropout_p, is_causal, scale=scale)[0]


# PyTorch takes its RMS norm apart on anything but CUDA, before anybody can see it whole.
_library = torch.library.Library("echo_trace", "DEF")
_library.define("_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)")
_library.define("_fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, "
                "Tensor? weight) -> (Tensor, Tensor)")


@torch.library.impl(_library, "_fused_rms_norm", "Meta")
def _rms_norm_meta(input, normalized_shape, weight, eps):
    rows = input.shape[:input.dim() - len(normalized_shape)]
    return torch.empty_like(input), input.new_empty(rows, dtype=torch.float32)


@torch.library.impl(_library, "_fused_rms_norm_backward", "Meta")
def _rms_norm_backward_meta(grad_out, input, normalized_shape, rstd, weight):
    return torch.empty_like(input), torch.empty_like(weight) if weight is not None else input.new_empty(0)


class RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, normalized_shape, weight, eps):
        output, rstd = torch.ops.echo_trace._fused_rms_norm(input, normalized_shape, weight, eps)
        ctx.save_for_backward(input, rstd, weight)
        ctx.normalized_shape = normalized_shape
        return output

    @staticmethod
    def backward(ctx, grad_out):
        input, rstd, weight = ctx.saved_tensors
        grads = torch.ops.echo_trace._fused_rms_norm_backward(grad_out, input, ctx.normalized_shape, rstd, weight)
        return grads[0], None, None if weight is None else grads[1], None


class AsCuda(TorchFunctionMode):
    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if args and self.recorder.holds(args[0]):
            if func is torch.Tensor.cpu or (func is torch.Tensor.to and _names_cpu(args[1:], kwargs)):
                copy = self.recorder.to_host(args[0], waits=not kwargs.get("non_blocking"))
                return copy if func is torch.Tensor.cpu else func(copy, *args[1:], **kwargs)
            if func in (torch.Tensor.tolist, torch.Tensor.numpy):
                self.recorder.host_waits(args[0])
        if func is torch.Tensor.cuda:
            return self.moved(args[0])
        if func is torch.Tensor.to and (is_cuda(kwargs.get("device")) or (len(args) > 1 and _names_device(args[1]))):
            return self._to(args, kwargs)
        if func is torch.Tensor.pin_memory:
            return args[0]
        if func is torch.Tensor.type and len(args) == 1 and not kwargs and self.recorder.is_ours(args[0]):
            return func(*args).replace("torch.", "torch.cuda.")
        if func is torch.tensor and args and isinstance(args[0], (list, tuple)):
            args = (self._numbers(args[0]), *args[1:])
        if func == torch.Tensor.is_cuda.__get__ and (self.recorder.is_ours(args[0]) or self.recorder.holds(args[0])):
            return True
        if func == torch.Tensor.is_cpu.__get__ and (self.recorder.is_ours(args[0]) or self.recorder.holds(args[0])):
            return False
        if func is torch.Tensor.data_ptr and self.recorder.is_ours(args[0]):
            extent = self.recorder.extent_of(args[0])
            return extent.storage + extent.low
        if "device" in kwargs and is_cuda(kwargs["device"]):
            kwargs["device"] = torch.device("cpu")
        return func(*args, **kwargs)

    def _numbers(self, values):
        """What the host reads of tensors in nested lists."""
        if isinstance(values, (list, tuple)):
            return [self._numbers(value) for value in values]
        return values.item() if isinstance(values, torch.Tensor) and self.recorder.is_ours(values) else values

    def moved(self, tensor):
        """To the GPU: a floating-point tensor loses its values there, others keep them for the host to look at."""
        recorder = self.recorder
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.is_meta:
            return tensor
        if not tensor.dtype.is_floating_point:
            recorder.host_copy(tensor)
            return tensor
        fake = recorder.fake_mode.from_tensor(tensor.detach()).requires_grad_(tensor.requires_grad)
        recorder.host_copy(fake)
        return torch.nn.Parameter(fake, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else fake

    def _to(self, args, kwargs):
        tensor = self.moved(args[0])
        rest = [value for value in args[1:] if isinstance(value, torch.dtype)]
        kwargs.pop("device", None)
        if not rest and not kwargs.get("dtype") and not kwargs.get("copy"):
            return tensor
        return tensor.to(*rest, **kwargs)


def _names_cpu(words, how):
    return any(isinstance(word, (str, torch.device)) and str(word) == "cpu" for word in (*words, how.get("device")))


def _names_device(value):
    return isinstance(value, (str, torch.device)) and is_cuda(value)


def stay_in_backward(patches, mode):
    """PyTorch leaves a function mode for the call that it sees, here all of a backward; what that calls is seen too."""

    def within(was):
        def run(*args, **how):
            with mode:
                return was(*args, **how)

        return run

    for module in (torch.autograd, torch.autograd.graph):
        patches.wrap(module, "_engine_run_backward", within)


def choose_kernels(patches, recorder):
    """torch.nn.functional's functions call what CUDA would, where the model's own tensors take part."""

    def is_ours(*tensors):
        return any(isinstance(t, torch.Tensor) and recorder.is_ours(t) for t in tensors)

    def attends(was):
        def scaled_dot_product_attention(query, key, value, *args, **how):
            ours = recorder.compiling or is_ours(query, key, value) or isinstance(query, DTensor)
            chosen = attention(query, key, value, *args, **how) if ours else None
            return was(query, key, value, *args, **how) if chosen is None else chosen

        return scaled_dot_product_attention

    def norms(was):
        def rms_norm(input, normalized_shape, weight=None, eps=None):
            if is_ours(input) and (weight is None or is_ours(weight)):
                return RmsNorm.apply(input, list(normalized_shape), weight, eps)
            return was(input, normalized_shape, weight, eps)

        return rms_norm

    def drops(was):
        def dropout(input, p=0.5, training=True, inplace=False):
            if not (recorder.compiling or is_ours(input)) or not training or p == 0 or inplace:
                return was(input, p, training, inplace)
            return torch.native_dropout(input, p, True)[0]

        return dropout

    for name, make in (("scaled_dot_product_attention", attends), ("rms_norm", norms), ("dropout", drops)):
        patches.wrap(F, name, make)
