"""Steps that record PyTorch from outside: libecho_inject.so by CUDA's driver, libecho_nccl.so in NCCL's place."""

import os

from .record import COUNTED, Number
from .step import Command, Failed, NotRun, Step

READ_RECORDS = """
import sys
from echo_sweep.tracer import exsitu_records as records
read = records.read(sys.argv[1])
print("kernels %d" % int((read.gpu["what"] == records.KERNEL).sum()))
"""


def library(context, name):
    path = context.bundle.library(name)
    if not os.path.exists(path):
        raise NotRun("lib%s.so is not in %s" % (name, context.bundle.exsitu),
                     "build the bundle where CUDA 13 with CUPTI, and nccl.h, are found")
    return path


def with_package(context, env):
    """An environment in which PyTorch's Python finds echo_sweep, and echo_sweep the libraries."""
    path = os.pathsep.join(filter(None, [context.bundle.python, env.get("PYTHONPATH", "")]))
    return dict(env, PYTHONPATH=path, ECHO_EXSITU_LIBRARIES=context.bundle.exsitu)


def inject_command(context):
    """A few steps of the tiny model with CUPTI's records on. A dry run loads the library and does not ask it to begin: without
    a driver CUPTI 13.2 calls itself until the stack is full (of cuptiGetVersion, too), which no program can catch."""
    path = library(context, "echo_inject")
    context.need_gpu()
    found = context.libraries_of(path)
    env = dict(with_package(context, os.environ), ECHO_GPU_TRACE_FILE=context.path("inject.records"))
    if context.is_dry_run:
        load = "import ctypes; print('loaded', ctypes.CDLL(%r).InitializeInjection is not None)" % path
        return Command([context.machine["torch"].get("python") or "python3", "-c", load], found.environment(env))
    words = context.training("plain", "--size", "tiny", "--device", "cuda", "--steps", "3")
    env = found.environment(env)
    return Command(words, dict(env, CUDA_INJECTION64_PATH=path))


def check_inject(context, ended):
    if context.is_dry_run:
        if "loaded True" not in ended.text():
            raise Failed("libecho_inject.so could not be loaded", "see the log")
        return []
    from . import child

    python = context.need_torch()
    if not context.machine["torch"].get("numpy"):
        raise Failed("%s has no numpy, with which records are read" % python, "pip install numpy, or --python another one")
    counted = child.run([python, "-B", "-c", READ_RECORDS, context.path("inject.records")], context.path("inject.read.log"), 60,
                        with_package(context, os.environ))
    kernels = [int(line.split()[1]) for line in counted.text().splitlines() if line.startswith("kernels ")]
    if not kernels or kernels[0] == 0:
        raise Failed("CUPTI delivered no record of a kernel", "look for lines that begin with `echo:` in the log; another "
                     "profiler may hold the GPU (nsys, ncu, DCGM)")
    return [Number("kernels recorded", kernels[0], "", COUNTED)]


def inject_step():
    return Step("inject", "libecho_inject.so records kernels", inject_command, check_inject, limit=120, files=["inject.records"])


def trace_on_gpu_step(name, title, size, world):
    """echo-trace --backend nccl: one rank of a data-parallel job of `world`, on the real GPU; in a dry run --backend fake."""

    def command(context):
        chosen = size(context) if callable(size) else size
        env = with_package(context, os.environ)
        plain = context.training("plain", "--size", chosen, "--device", "cuda", "--steps", "3", "--ddp")
        if not context.is_dry_run:
            library(context, "echo_nccl")
            env = context.libraries_of(library(context, "echo_inject")).environment(env)
            if not context.machine["torch"].get("numpy"):
                raise NotRun("%s has no numpy, which --backend nccl needs" % plain[0], "pip install numpy, or --python another one")
        words = [plain[0], "-B", "-m", "echo_sweep.tracer", "--world", str(world), "--ranks", "0", "--backend",
                 "fake" if context.is_dry_run else "nccl", "-o", context.path(name + ".jsonl.gz"), "--", *plain]
        return Command(words, env)

    def check(context, ended):
        from .trace_counts import counts_of

        compute, timed, communication = counts_of(context.path(name + ".jsonl.gz"))
        if compute == 0 or communication == 0:
            raise Failed("the trace holds %d kernels and %d collectives" % (compute, communication), "see the log")
        if not context.is_dry_run and timed == 0:
            raise Failed("no kernel of the trace has a duration", "CUPTI recorded none: see the step `inject`")
        return [Number("kernels", compute, "", COUNTED, "%d of them timed" % timed),
                Number("collectives", communication, "", COUNTED)]

    return Step(name, title, command, check, limit=200, files=[name + ".jsonl.gz"], of=size if callable(size) else None)
