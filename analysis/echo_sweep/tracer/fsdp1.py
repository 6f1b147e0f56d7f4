"""FullyShardedDataParallel (FSDP1): its constructor and its runtime ask which device they are on; they are told a GPU.

torch/distributed/fsdp: _init_utils.py takes streams, events and `is_available` from a handle of the device;
_flat_param.py tells storages apart by where they lie, and gathers by lists of tensors where parameters are on a CPU.
"""

import contextlib

import torch
import torch.distributed as dist


class _Handle:
    """torch.cuda as the tracer has it, of which one is available; its device is the CPU that tensors lie on."""

    def is_available(self):
        return True

    def current_device(self):
        return torch.device("cpu")

    def __getattr__(self, name):
        return getattr(torch.cuda, name)


def fake_fsdp1(patches, groups):
    with contextlib.suppress(ImportError):
        from torch.distributed.fsdp import FullyShardedDataParallel, _common_utils, _flat_param

        make = FullyShardedDataParallel.__init__

        def init(self, *args, **how):
            make(self, *args, **{**how, "device_id": torch.device("cpu")})
            groups.note_role(self.process_group, "shard")
            between = getattr(self, "_inter_node_pg", None)
            if between is not None and dist.get_world_size(between) > 1:
                groups.note_role(between, "data")

        patches.set(FullyShardedDataParallel, "__init__", init)
        patches.set(_common_utils._FSDPDeviceHandle, "from_device", staticmethod(lambda device: _Handle()))
        patches.set(_flat_param, "_same_storage", lambda a, b: _place(a) == _place(b))
        patches.set(_flat_param, "_data_ptr_allocated", lambda tensor: tensor.untyped_storage().size() > 0)


def _place(tensor):
    return getattr(tensor, "_local_tensor", tensor).untyped_storage()._cdata
