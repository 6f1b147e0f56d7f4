"""What a training process must be told so that it starts alone: PyTorch's rendezvous, stores and process groups.

Nothing waits for peers: the store has an answer to everything. A process group writes who belongs to it before NCCL is
asked for a communicator; libecho_nccl.so tells them apart by the unique id, which every rank takes from the store under
a key that begins with the group's name (ProcessGroupNCCL::broadcastUniqueNCCLID).

By itself, without the rest of this package: it is loaded by its path into processes whose packages are not ours.
"""

import ctypes
import hashlib
import importlib.abc
import importlib.machinery
import os
import sys
import threading

UNIQUE_ID_BYTES = 128


def mark(text):
    """A place in the program, for the trace: "step" ends a step, "pass forward" begins a pass. Nothing elsewhere."""
    library = ctypes.CDLL(None)  # what is preloaded is everybody's
    if hasattr(library, "echo_nccl_mark"):
        library.echo_nccl_mark(text.encode())


def text_of(ranks):
    """[0, 4, 5, 6, 8, 12, 16] -> "0,4-6,8-16/4"."""
    parts, at = [], 0
    while at < len(ranks):
        end, step = at + 1, (ranks[at + 1] - ranks[at] if at + 1 < len(ranks) else 0)
        while step > 0 and end < len(ranks) and ranks[end] - ranks[end - 1] == step:
            end += 1
        if end - at < 3:
            end = at + 1
        parts.append(f"{ranks[at]}" if end == at + 1 else
                     f"{ranks[at]}-{ranks[end - 1]}" + (f"/{step}" if step > 1 else ""))
        at = end
    return ",".join(parts)


class Memberships:
    """Lines for libecho_nccl.so, appended whole (src/exsitu/memberships.hpp)."""

    def __init__(self, path):
        self.path, self.ranks = path, {}
        self.lock = threading.Lock()

    def _append(self, name, ranks, unique_id=b""):
        name = "".join(c if c.isprintable() else "?" for c in name)
        line = f"{name}\t{text_of(list(ranks))}" + (f"\t{unique_id[:32].hex()}" if unique_id else "") + "\n"
        if self.path:
            with self.lock, open(self.path, "ab", buffering=0) as file:
                file.write(line.encode())

    def group(self, name, ranks, description=""):
        """A process group that is about to be made. What a user calls it goes before what PyTorch numbers it by."""
        described = description not in ("", "undefined", "default_pg", None)
        self.ranks[name] = (f"{description} {name}" if described else name, list(ranks))
        self._append(*self.ranks[name])

    def unique_id(self, key, value):
        """A unique id that was put into the store, or taken from it, under `key`."""
        padded = f"/{key}"
        names = [name for name in self.ranks if f"/{name}//" in padded]
        if not names:
            return
        name, ranks = self.ranks[max(names, key=len)]
        low, colon, high = key.rpartition("/")[2].partition(":")
        if colon and low.isdigit() and high.isdigit() and max(int(low), int(high)) < len(ranks):
            ranks = [ranks[int(low)], ranks[int(high)]]  # of sends and receives outside of groups
            name = f"{name} {low}-{high}"
        self._append(name, ranks, value)


def made_up(key):
    """128 bytes that are never the same for two keys."""
    return b"echo" + hashlib.sha512(key.encode()).digest() + bytes(UNIQUE_ID_BYTES - 68)


def store_class():
    """A dist.Store whose peers have all done what is expected of them. (A function: torch may not be there yet.)"""
    import torch.distributed as dist

    class LoneStore(dist.Store):
        def __init__(self, world, memberships):
            super().__init__()
            self.world, self.memberships = world, memberships
            self.values, self.counts = {}, {}

        def set(self, key, value):
            value = value.encode() if isinstance(value, str) else bytes(value)
            self.values[key] = value
            if len(value) == UNIQUE_ID_BYTES:
                self.memberships.unique_id(key, value)

        def get(self, key):
            if key not in self.values:
                self.values[key] = made_up(key)
                self.memberships.unique_id(key, self.values[key])
            return self.values[key]

        def add(self, key, amount):
            self.counts[key] = self.counts.get(key, 0) + amount
            return max(self.world, self.counts[key])

        def compare_set(self, key, expected, desired):
            expected, desired = (text.encode() if isinstance(text, str) else bytes(text) for text in (expected, desired))
            if self.values.get(key, b"") == expected:
                self.values[key] = desired
            return self.values.get(key, expected)

        def append(self, key, value):
            self.values[key] = self.values.get(key, b"") + (value.encode() if isinstance(value, str) else bytes(value))

        def multi_get(self, keys):
            return [self.get(key) for key in keys]

        def multi_set(self, keys, values):
            for key, value in zip(keys, values):
                self.set(key, value)

        def check(self, keys):
            return True

        def wait(self, keys, timeout=None):
            pass

        def delete_key(self, key):
            return self.values.pop(key, None) is not None

        def num_keys(self):
            return len(self.values)

        def set_timeout(self, timeout):
            pass

        def has_extended_api(self):
            return True

        def clone(self):
            return self

        # By these names PyTorch's C++ looks for them.
        compareSet, deleteKey, getNumKeys, multiGet, multiSet = compare_set, delete_key, num_keys, multi_get, multi_set
        hasExtendedSupport = has_extended_api

    return LoneStore


def without_gloo(backend):
    """"cpu:gloo,cuda:nccl" -> "cpu:fake,cuda:nccl": Gloo talks to real peers only."""
    text = str(backend or "").lower()
    if text in ("", "undefined", "none"):
        return "cpu:fake,cuda:nccl"
    return ",".join(part.replace("gloo", "fake").replace("ucc", "fake").replace("mpi", "fake") for part in text.split(","))


class Patches:
    """Replaces functions of torch.distributed, once."""

    def __init__(self, world, rank, groups_file):
        import torch.distributed.distributed_c10d as c10d

        self.c10d, self.world, self.rank = c10d, world, rank
        self.memberships = Memberships(groups_file)
        self.store = store_class()(world, self.memberships)

    def apply(self):
        import torch
        import torch.distributed as dist

        c10d = self.c10d
        self.replace(sys.modules["torch.distributed.rendezvous"].rendezvous, self.rendezvous)
        for name in ("TCPStore", "FileStore"):  # programs that make their own
            for module in (dist, c10d):
                if hasattr(module, name):
                    setattr(module, name, lambda *_, **__: self.store)
        for name, wrap in (("init_process_group", self.wrap_init), ("_new_process_group_helper", self.wrap_helper),
                           ("split_group", self.wrap_split)):
            if hasattr(c10d, name):
                self.replace(getattr(c10d, name), wrap(getattr(c10d, name)))
        for name in ("broadcast_object_list", "scatter_object_list", "monitored_barrier"):
            if hasattr(c10d, name):
                self.replace(getattr(c10d, name), getattr(self, name))
        self.watch_passes(torch)
        self.one_device(torch)

    def replace(self, original, ours):
        """Under every name by which modules of torch have taken it over."""
        for name, module in list(sys.modules.items()):
            if name == "torch" or name.startswith("torch."):
                for attribute, value in list(getattr(module, "__dict__", {}).items()):
                    if value is original:
                        setattr(module, attribute, ours)

    def rendezvous(self, url="env://", rank=-1, world_size=-1, **_):
        yield (self.store, rank if rank >= 0 else self.rank, world_size if world_size > 0 else self.world)

    def wrap_init(self, original):
        def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, *args,
                               **named):
            import torch
            import torch.testing._internal.distributed.fake_pg  # noqa: F401  registers "fake"

            world_size = world_size if world_size > 0 else self.world
            rank = rank if rank >= 0 else self.rank
            if named.get("device_id") is not None and named["device_id"].type == "cuda":
                named["device_id"] = type(named["device_id"])("cuda", 0)
            if torch.cuda.is_available():  # not before: a process that starts CUDA cannot fork workers that use it
                mark(f"gpu {torch.cuda.get_device_name(0)}")
            return original(without_gloo(backend), None, timeout, world_size, rank, self.store, *args, **named)

        return init_process_group

    def wrap_helper(self, original):
        def _new_process_group_helper(group_size, group_rank, ranks, backend, store, group_name, *args, **named):
            members = list(ranks) or list(range(group_size))
            if self.rank in members:
                self.memberships.group(str(group_name), members, named.get("group_desc"))
            return original(group_size, group_rank, ranks, without_gloo(backend), store, group_name, *args, **named)

        return _new_process_group_helper

    def wrap_split(self, original):
        def split_group(parent_pg=None, split_ranks=None, *args, **named):
            parent = self.c10d._world.pg_group_ranks.get(parent_pg or self.c10d._get_default_group(), {})
            in_parent = {place: rank for rank, place in parent.items()}
            for ranks in split_ranks or []:
                members = [in_parent.get(rank, rank) for rank in ranks]
                if self.rank in members:
                    name = self.c10d._process_group_name(ranks, use_hashed_name=True)
                    self.memberships.group(str(name), members, named.get("group_desc"))
            return original(parent_pg, split_ranks, *args, **named)

        return split_group

    # Objects that come from others. Ours are like theirs, as far as we have any.
    def broadcast_object_list(self, object_list, src=None, *_, **__):
        pass

    def scatter_object_list(self, output, given=None, *_, **__):
        if given:
            output[0] = given[0]

    def monitored_barrier(self, *_, **__):
        pass

    def one_device(self, torch):
        set_device = torch.cuda.set_device

        def first_if_not_there(device):
            index = torch.device(device).index if isinstance(device, (str, torch.device)) else device
            set_device(device if index is None or index < torch.cuda.device_count() else 0)

        torch.cuda.set_device = first_if_not_there

    def watch_passes(self, torch):
        """Marks where backward begins and ends and where the optimizer ends a step."""
        from torch.optim import optimizer

        backward = torch.autograd.backward

        def marked_backward(*args, **named):
            mark("pass backward")
            try:
                return backward(*args, **named)
            finally:
                mark("pass forward")

        torch.autograd.backward = marked_backward
        optimizer.register_optimizer_step_pre_hook(lambda *_: mark("pass optimizer"))
        optimizer.register_optimizer_step_post_hook(lambda *_: (mark("step"), mark("pass forward"))[0])


class _AfterImport(importlib.abc.MetaPathFinder):
    """Runs `then` when a module has been imported."""

    def __init__(self, name, then):
        self.name, self.then = name, then

    def find_spec(self, name, path, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.then(module)

        spec.loader.exec_module = exec_module
        return spec


def install(environment=None):
    """In every Python process of a traced program, by its sitecustomize: as soon as PyTorch is there."""
    env = os.environ if environment is None else environment
    if not (env.get("RANK", "").isdigit() and env.get("WORLD_SIZE", "").isdigit()):
        return

    def patch(_):
        Patches(int(env["WORLD_SIZE"]), int(env["RANK"]), env.get("ECHO_NCCL_GROUPS", "")).apply()

    if "torch" in sys.modules:
        patch(None)
    else:
        sys.meta_path.insert(0, _AfterImport("torch", patch))
