"""A process of PyTorch that is alone, as rank r of N: store, rendezvous, process groups. Needs PyTorch, no GPU."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

pytest.importorskip("torch.distributed")  # a folder of tests is called torch, too

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

from echo_sweep.tracer import exsitu, exsitu_records, exsitu_torch  # noqa: E402


class Noted:
    def __init__(self):
        self.ids = []

    def unique_id(self, key, value):
        self.ids.append((key, value))


@pytest.fixture
def store():
    return exsitu_torch.store_class()(64, Noted())


def test_the_store_answers_through_prefixes_from_cpp(store):
    prefixed = dist.PrefixStore("cuda/", dist.PrefixStore("tp/", dist.PrefixStore("default_pg", store)))
    unique = prefixed.get("0")
    assert len(unique) == 128 and prefixed.get("0") == unique and prefixed.get("1") != unique
    assert [key for key, _ in store.memberships.ids] == ["default_pg/tp//cuda//0", "default_pg/tp//cuda//1"]
    prefixed.set("word", "value")
    assert prefixed.get("word") == b"value"
    assert prefixed.add("count", 1) >= 64 and prefixed.add("count", 0) >= 64
    assert prefixed.check(["anything"]) is True
    prefixed.wait(["anything"])
    assert prefixed.compare_set("new", "", "a") == b"a" and prefixed.compare_set("new", "b", "c") == b"a"
    assert prefixed.multi_get(["word", "word"]) == [b"value", b"value"]
    prefixed.multi_set(["x", "y"], ["1", "2"])
    assert prefixed.get("y") == b"2"
    assert prefixed.delete_key("x") and not prefixed.delete_key("x")
    assert prefixed.num_keys() > 0


def test_ids_that_root_ranks_give_are_noted(store):
    store.set("default_pg/0//cuda//0", bytes(range(128)))
    assert store.memberships.ids == [("default_pg/0//cuda//0", bytes(range(128)))]


def test_memberships_tell_groups_pairs_and_ids_apart(tmp_path):
    memberships = exsitu_torch.Memberships(str(tmp_path / "groups"))
    memberships.group("0", range(8))
    memberships.group("1", [1, 3, 5, 7], "mesh_tp")
    memberships.group("11", [1, 2], "odd\nname")
    memberships.unique_id("default_pg/1//cuda//0", b"\x01" * 128)
    memberships.unique_id("default_pg/1//cuda//0:2", b"\x02" * 128)
    memberships.unique_id("default_pg/nobody//cuda//0", b"\x03" * 128)
    assert (tmp_path / "groups").read_text().splitlines() == [
        "0\t0-7", "mesh_tp 1\t1-7/2", "odd?name 11\t1,2", "mesh_tp 1\t1-7/2\t" + "01" * 32,
        "mesh_tp 1 0-2\t1,5\t" + "02" * 32]


def test_gloo_becomes_fake():
    assert exsitu_torch.without_gloo("nccl") == "nccl"
    assert exsitu_torch.without_gloo("cpu:gloo,cuda:nccl") == "cpu:fake,cuda:nccl"
    assert exsitu_torch.without_gloo(None) == "cpu:fake,cuda:nccl"
    assert exsitu_torch.without_gloo("gloo") == "fake"


PROGRAM = """
import torch, torch.distributed as dist, json
from torch.distributed.device_mesh import init_device_mesh
dist.init_process_group("gloo", timeout=__import__("datetime").timedelta(seconds=20))
tp = dist.new_group(list(range(32, 40)), group_desc="tp")
other = dist.new_group([0, 1])
mesh = init_device_mesh("cpu", (8, 8), mesh_dim_names=("dp", "tp"))
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
objects = [1, "mine"]
dist.broadcast_object_list(objects, src=0)
dist.barrier()
dist.TCPStore("nowhere", 1, 64, False).wait(["x"])
print(json.dumps([dist.get_rank(), dist.get_world_size(), dist.get_rank(tp), tp.size(),
                  dist.get_rank(mesh.get_group("dp")), mesh.get_group("tp").size(), objects]))
dist.destroy_process_group()
"""


def lone(folder, program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=240,
        env=dict(os.environ, PYTHONPATH=exsitu.write_site(folder), RANK="37", WORLD_SIZE="64", LOCAL_RANK="0",
                 MASTER_ADDR="127.0.0.1", MASTER_PORT="1", ECHO_NCCL_GROUPS=str(folder / "groups"), **environment))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lone")
    library = os.environ.get("ECHO_NCCL")
    extra = {"LD_PRELOAD": library, "ECHO_TRACE_FILE": str(folder / "nccl")} if library else {}
    return folder, lone(folder, PROGRAM, **extra)


def test_a_program_starts_and_trains_alone(program):
    _, done = program
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == [37, 64, 5, 8, 4, 8, [1, "mine"]]


def test_its_groups_are_written_before_they_are_made(program):
    folder, _ = program
    lines = [line.split("\t") for line in (folder / "groups").read_text().splitlines()]
    members = {name: exsitu_records.ranks_of(ranks) for name, ranks, *_ in lines}
    assert list(range(64)) in members.values()
    assert next(ranks for name, ranks in members.items() if name.startswith("tp ")) == list(range(32, 40))
    assert list(range(5, 64, 8)) in members.values()  # the mesh's dp


@pytest.mark.skipif("ECHO_NCCL" not in os.environ, reason="ECHO_NCCL names no libecho_nccl.so")
def test_passes_and_steps_are_marked(program):
    from echo_sweep.tracer import exsitu_convert

    folder, _ = program
    texts = [text for _, text in exsitu_convert.marks_of(exsitu_records.read(folder / "nccl"))]
    one = ["pass backward", "pass forward", "pass optimizer", "step", "pass forward"]
    assert texts == one * 3


@pytest.mark.skipif("ECHO_NCCL" not in os.environ, reason="ECHO_NCCL names no libecho_nccl.so")
def test_pytorch_asks_our_nccl(tmp_path):
    if not torch.distributed.is_nccl_available():
        pytest.skip("this PyTorch has no NCCL")
    done = lone(tmp_path, "import torch; print(torch.cuda.nccl.unique_id()[:5])", LD_PRELOAD=os.environ["ECHO_NCCL"])
    assert done.stdout == "b'echo '\n", done.stderr  # the real one opens a socket, and has none to tell of


# Device-side NCCL (symmetric memory, put and get from kernels), declared in nccl_device.h alone: left to the real library,
# which refuses our communicators.
LEFT_TO_NCCL = {"ncclDevCommCreate", "ncclDevCommDestroy", "ncclGetLsaMultimemDevicePointer", "ncclGetPeerDevicePointer",
                "ncclGetLsaDevicePointer", "ncclGetMultimemDevicePointer", "ncclCommQueryProperties"}


def older_header():
    program = "import ctypes; v = ctypes.c_int(); ctypes.CDLL(None).ncclGetVersion(ctypes.byref(v)); print(v.value)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={"LD_PRELOAD": os.environ["ECHO_NCCL"]})
    major, minor, patch = torch.cuda.nccl.version()
    return int(done.stdout) < major * 10000 + minor * 100 + patch


@pytest.mark.skipif("ECHO_NCCL" not in os.environ, reason="ECHO_NCCL names no libecho_nccl.so")
def test_all_that_pytorch_calls_is_answered():
    library = pathlib.Path(torch.__file__).parent / "lib" / "libtorch_cuda.so"
    if not library.exists():
        pytest.skip("this PyTorch has no CUDA")

    def names(*options):
        lines = subprocess.run(["nm", "-D", *options], capture_output=True, text=True, check=True).stdout.splitlines()
        return {line.split()[-1].partition("@")[0] for line in lines if "nccl" in line}

    called = {name for name in names("--undefined-only", str(library)) if name.startswith("nccl")}
    missing = called - names("--defined-only", os.environ["ECHO_NCCL"]) - LEFT_TO_NCCL
    if missing and older_header():
        pytest.skip(f"ECHO_NCCL was made from an older nccl.h than this PyTorch; it leaves to NCCL: {sorted(missing)}")
    assert called and not missing
