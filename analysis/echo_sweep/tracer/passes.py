"""Which pass of a training step an op belongs to, as PyTorch's own state tells: forward, backward, recompute, optimizer.

Backward: autograd is running a graph. Recompute: it is, yet grad mode is on, as checkpointing turns it on to run a
forward again. Optimizer: within optimizer.step(), or after a backward with grad mode off outside any module's forward
(clipping, loss scaling).
"""

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


class Passes:
    def __init__(self, on_step_end):
        self._on_step_end = on_step_end
        self._in_forward = self._in_optimizer = 0
        self._modules = []  # whose forward runs, the innermost last
        self._after_backward = False
        self._hooks = []

    def hook(self):
        self._hooks = [register_module_forward_pre_hook(self._enter), register_module_forward_hook(self._leave,
                                                                                                   always_call=True),
                       register_optimizer_step_pre_hook(self._enter_optimizer),
                       register_optimizer_step_post_hook(self._leave_optimizer)]

    def unhook(self):
        for hook in self._hooks:
            hook.remove()

    @property
    def place(self):
        """Of the model: the module whose forward runs, 0 outside of any."""
        return self._modules[-1] if self._modules else 0

    def now(self):
        if self._in_optimizer:
            return "optimizer"
        if torch._C._current_graph_task_id() != -1:
            self._after_backward = True
            return "recompute" if torch.is_grad_enabled() else "backward"
        if self._in_forward:
            self._after_backward = False
        return "optimizer" if self._after_backward and not torch.is_grad_enabled() else "forward"

    def _enter(self, module, inputs):
        self._in_forward += 1
        self._modules.append(id(module))

    def _leave(self, module, inputs, outputs):
        self._in_forward = max(0, self._in_forward - 1)
        while self._modules and self._modules.pop() != id(module):
            pass

    def _enter_optimizer(self, optimizer, *args):
        self._in_optimizer += 1

    def _leave_optimizer(self, optimizer, *args):
        self._in_optimizer -= 1
        if not self._in_optimizer:
            self._on_step_end(optimizer)
