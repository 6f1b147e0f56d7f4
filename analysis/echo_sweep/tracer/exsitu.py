"""One real rank of a job whose others do not exist: its program on one GPU, NCCL answered by libecho_nccl.so.

    from echo_sweep.tracer import exsitu
    for rank, alike in exsitu.ranks_to_trace(world=1024, tp=8, pp=4).items():
        exsitu.run(["python", "train.py"], rank, 1024, f"rank{rank}.jsonl", stands_for=alike)

Without a GPU use echo_sweep.tracer itself: PyTorch's `nccl` backend wants one. The libraries are built from src/exsitu;
they are looked for in ECHO_EXSITU_LIBRARIES (a folder), else in build/*/lib of the repository this file is in, else in
lib/echo-sweep of the prefix it is installed below.
"""

import os
import pathlib
import subprocess
import tempfile

from . import exsitu_convert, exsitu_records, trace_file
from .exsitu_torch import mark  # noqa: F401  for programs that know where their steps end

# Watchdogs wait for peers; one root of NCCL's start-up is enough for any number of ranks that are not there.
quiet_torch = {"TORCH_NCCL_ENABLE_MONITORING": "0", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0",
               "TORCH_NCCL_DUMP_ON_TIMEOUT": "0", "TORCH_NCCL_RANKS_PER_ROOT": "1000000000",
               "TORCH_DIST_INIT_BARRIER": "0"}
# Loaded by its path: the program's Python need not have this package, and must not get the packages beside it. Another
# sitecustomize that this one stands before is run, too.
_site = """import importlib.machinery
import importlib.util
import os
import sys


def run(spec):
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run(importlib.util.spec_from_file_location("echo_exsitu_torch", {path!r})).install()
here = os.path.dirname(os.path.abspath(__file__))
other = importlib.machinery.PathFinder.find_spec("sitecustomize", [p for p in sys.path if os.path.abspath(p) != here])
if other is not None and other.loader is not None:
    run(other)
"""


def find_library(name):
    """The path of libNAME.so, or TraceError."""
    above = pathlib.Path(__file__).resolve().parents[3]  # the repository, or PREFIX/lib/python3
    folders = [pathlib.Path(os.environ["ECHO_EXSITU_LIBRARIES"])] if "ECHO_EXSITU_LIBRARIES" in os.environ else \
        [*sorted(above.glob("build/*/lib")), above.parent / "echo-sweep"]
    for folder in folders:
        if (folder / f"lib{name}.so").exists():
            return folder / f"lib{name}.so"
    raise trace_file.TraceError(f"lib{name}.so is not in {', '.join(map(str, folders))}; build target "
                                f"{name} where nccl.h is found, and name its folder in ECHO_EXSITU_LIBRARIES")


def environment(rank, world, folder, local_world=8, gpu=True, inherited=None):
    """Variables of a process that is rank `rank` of `world`, with its records in `folder`.

    `local_world` is what programs count nodes by; LOCAL_RANK is 0 always: there is one GPU. `gpu`: CUPTI's records, too.
    """
    env = dict(os.environ if inherited is None else inherited)
    for name in [name for name in env if name.startswith("TORCHELASTIC_")] + ["GROUP_RANK", "ROLE_RANK"]:
        env.pop(name, None)
    env.update(quiet_torch)
    local_world = min(local_world, world)
    env.update(RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK="0", LOCAL_WORLD_SIZE=str(local_world),
               GROUP_WORLD_SIZE=str(-(-world // local_world)), MASTER_ADDR="127.0.0.1", MASTER_PORT="29400")
    env.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    env["CUDA_VISIBLE_DEVICES"] = env.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    folder = pathlib.Path(folder)
    env.update(ECHO_RANK=str(rank), ECHO_WORLD=str(world), ECHO_NCCL_GROUPS=str(folder / "groups"),
               ECHO_TRACE_FILE=str(folder / "nccl.%p"), ECHO_GPU_TRACE_FILE=str(folder / "gpu.%p"))
    env["LD_PRELOAD"] = ":".join(filter(None, [str(find_library("echo_nccl")), env.get("LD_PRELOAD")]))
    if gpu:
        env["CUDA_INJECTION64_PATH"] = str(find_library("echo_inject"))
        cupti = _loaded_by(find_library("echo_inject"), "libcupti.so")
        if cupti:
            env.setdefault("NVTX_INJECTION64_PATH", cupti)  # as NVTX's tool, CUPTI receives NVTX ranges
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [write_site(folder), env.get("PYTHONPATH")]))
    return env


def write_site(folder):
    """A folder for PYTHONPATH in which each Python that starts finds exsitu_torch at work."""
    site = pathlib.Path(folder) / "site"
    site.mkdir(parents=True, exist_ok=True)
    (site / "sitecustomize.py").write_text(_site.format(path=str(pathlib.Path(__file__).with_name("exsitu_torch.py"))))
    return str(site)


def _loaded_by(library, name):
    """Where the loader finds a library that `library` needs, or None."""
    listed = subprocess.run(["ldd", str(library)], capture_output=True, text=True).stdout if os.name == "posix" else ""
    for line in listed.splitlines():
        words = line.split()
        if words and words[0].startswith(name) and len(words) > 2 and words[2].startswith("/"):
            return words[2]
    return None


def run(command, rank, world, out=None, stands_for=None, step=-1, gpu=True, local_world=8, keep=None):
    """Runs `command` as rank `rank` of `world` and returns its trace; to `out` as JSON Lines where that is given.

    `step`: of the steps that the program made (each ends with optimizer.step()); -1: one in the middle. `keep`: a folder
    for the raw records. TraceError where the program fails or never calls NCCL.
    """
    with tempfile.TemporaryDirectory(prefix="echo-exsitu-") as scratch:
        folder = pathlib.Path(keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "groups").write_text("")
        done = subprocess.run(list(command), env=environment(rank, world, folder, local_world, gpu))
        if done.returncode != 0:
            raise trace_file.TraceError(f"{command[0]} ended with {done.returncode} as rank {rank} of {world}")
        trace = read(folder, step, rank, world)
    trace.ranks[0].stands_for = stands_for
    if out is not None:
        trace_file.write(trace, out)
    return trace


def read(folder, step=-1, rank=None, world=None):
    """The trace of what processes left in `folder`: of the one that called NCCL most."""
    def calls(records):
        return int((records.lines.view(exsitu_records.CALL)["what"] >= 16).sum())

    all_records = [exsitu_records.read(path) for path in sorted(pathlib.Path(folder).glob("nccl.*"))]
    nccl = max(all_records, key=calls, default=None)
    if nccl is None or calls(nccl) == 0:
        raise trace_file.TraceError("no call of NCCL was recorded: is its library inside another one (static), or loaded by "
                                    "dlopen? src/exsitu/README.md says what to do then")
    gpu = pathlib.Path(folder) / f"gpu.{nccl.process}"
    return exsitu_convert.trace_of(nccl, exsitu_records.read(gpu) if gpu.exists() else None, step, rank, world)


def ranks_to_trace(world, tp=1, pp=1, cp=1, ep=1, order="tp-cp-ep-dp-pp"):
    """{rank: the ranks it stands for}: the first of each pipeline stage.

    `order`: how ranks count, the fastest first, as Megatron's; ep counts where experts have ranks of their own. Holds
    where the ranks of a stage do the same work: shards of one size, experts as busy as one another.
    """
    sizes = {"tp": tp, "cp": cp, "ep": ep, "pp": pp}
    taken = tp * cp * ep * pp
    if taken < 1 or min(sizes.values()) < 1 or world % taken:
        raise trace_file.TraceError(f"{world} ranks are no multiple of tp {tp} x cp {cp} x ep {ep} x pp {pp}")
    sizes["dp"] = world // taken
    names = order.split("-")
    if sorted(names) != sorted(sizes):
        raise trace_file.TraceError(f'order "{order}" must hold tp, cp, ep, dp and pp once each')
    stride = 1
    for name in names[: names.index("pp")]:
        stride *= sizes[name]
    stages = {}
    for rank in range(world):
        stages.setdefault(rank // stride % pp, []).append(rank)
    return {alike[0]: alike for _, alike in sorted(stages.items())}
