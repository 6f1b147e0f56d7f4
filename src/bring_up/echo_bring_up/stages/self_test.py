"""Do the programs of the bundle run here at all? Each in a small way; what fails says what to fix before the hour is spent."""

import hashlib
import os
import re

from .. import kernel_tables
from ..record import COUNTED, MEASURED, PLANNED, Number
from ..step import Command, Failed, NotRun, Step
from ..tracing_steps import inject_step, trace_on_gpu_step

title = "self-test of programs, driver, libraries, tracers"
LEAST_DRIVER_OF_CUDA = {13: 580, 12: 525}  # docs.nvidia.com/deploy/cuda-compatibility, table of minimum driver versions


def check_files(context, _):
    """The digests of MANIFEST.json: a bundle that was cut short while it was copied fails here and not later."""
    if not context.bundle.is_packed:
        raise NotRun("this is a source tree, not a bundle")
    wrong = []
    for name, digest in sorted(context.bundle.manifest["files"].items()):
        try:
            with open(os.path.join(context.bundle.root, name), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != digest:
                    wrong.append(name + " differs")
        except OSError:
            wrong.append(name + " is missing")
    if wrong:
        raise Failed("%d files are not as they were packed: %s" % (len(wrong), ", ".join(wrong[:5])), "unpack the bundle again")
    least = context.bundle.manifest["least_glibc"]
    here = context.machine["glibc"]
    if here and version(here) < version(least):
        raise Failed("the C library here is %s; the bundle needs %s" % (here, least),
                     "run in a container of Ubuntu 22.04, Debian 12 or newer, or build the bundle on a system as old as this one")
    return [Number("files", len(context.bundle.manifest["files"]), "", COUNTED, "as they were packed")]


def version(text):
    return [int(part) for part in re.findall(r"\d+", text)[:2]]


def check_driver(context, _):
    facts = context.machine
    if not facts["gpus"]:
        if context.is_dry_run:
            raise NotRun("a dry run; and no GPU: " + facts["why"])
        try:
            context.need_gpu()
        except NotRun as no:  # whoever measures wants one
            raise Failed(no.why, no.fix) from None
    wanted = context.bundle.manifest.get("cuda", "")
    major = int(wanted.split(".")[0]) if wanted else 0
    if facts["cuda"] and major and facts["cuda"] // 1000 < major:
        raise Failed("the driver (%s) knows CUDA %d.%d; the programs are built with %s" % (
            facts["driver"] or "of unknown version", facts["cuda"] // 1000, facts["cuda"] % 1000 // 10, wanted),
            "install driver %s or newer, or NVIDIA's package cuda-compat-%s (data-center GPUs) first in LD_LIBRARY_PATH" % (
                LEAST_DRIVER_OF_CUDA.get(major, "for CUDA %d" % major), wanted.replace(".", "-")))
    return [Number("GPU", gpu["name"], "", COUNTED, "%.0f GiB" % (gpu["memory"] / 2.0 ** 30)) for gpu in facts["gpus"]] + \
        [Number("driver", facts["driver"] or "unknown", "", COUNTED)]


def check_libraries(context, _):
    """Of every program and library of ours: does the loader find what it needs?"""
    found, problems, fix, seen = [], [], "", False
    for path in [context.bundle.program(name) for name in ("echo-sweep", "echo-profile", "echo-overlap")] + \
            [context.bundle.library(name) for name in ("echo_nccl", "echo_inject")]:
        if not os.path.exists(path):
            continue
        seen = True
        try:
            libraries = context.libraries_of(path)
        except NotRun as no:
            problems.append(no.why)
            fix = no.fix
        else:
            note = "" if not libraries.stood_in else "for %s stand-ins answer: %s" % (
                ", ".join(libraries.stood_in), "a plan needs none" if context.is_dry_run else "what needs them is not measured")
            found.append(Number(os.path.basename(path), "all found", "", COUNTED, note))
    if not seen:
        raise Failed("no program is in %s" % context.bundle.programs, "unpack the bundle again, or name a folder: --programs")
    if problems:
        raise Failed("; ".join(problems), fix)
    return found


def check_torch(context, _):
    context.need_torch()
    torch = context.machine["torch"]
    if version(torch["version"]) < [2, 4]:
        raise Failed("PyTorch %s is older than 2.4" % torch["version"], "install a newer one: the step uses nn.RMSNorm")
    return [Number("PyTorch", torch["version"], "", COUNTED, "CUDA %s, NCCL %s, numpy %s" % (
        torch["cuda"], torch["nccl"] or "none", torch["numpy"] or "none: echo-trace on the GPU needs it"))]


def sweep_command(context):
    context.write("presets.toml", kernel_tables.tiny_presets())
    path = context.write("tiny.toml", kernel_tables.tiny_sweep("generic-h100-sxm"))
    words, env = context.sweeping("run", path, "-o", context.path("tiny.h5"), "--fresh", "-q")
    return Command(words, env)


def profile_command(context):
    table = context.write("kernels.csv", kernel_tables.self_test())
    words, env = context.measuring("echo-profile", context.path("profile.h5"), "--kernels", table, "--again", "--repeats", "1",
                                   "--budget", str(context.budget(most=60)), *context.gpu_words())
    return Command(words, env)


def check_profile(context, ended):
    if context.is_dry_run:
        found = re.search(r"(\d+) kernels, \d+ trains each", ended.text())
        if not found:
            raise Failed("echo-profile --dry-run printed no plan", "see the log")
        return [Number("kernels", int(found.group(1)), "", PLANNED)]
    measured = re.search(r"(\d+) kernels measured", ended.text())
    failed = sum(map(int, re.findall(r"^ +failed +(\d+) ", ended.text(), re.MULTILINE)))
    if not measured or int(measured.group(1)) == 0:
        raise Failed("no kernel was measured", "see the log: it names each kernel and why")
    return [Number("kernels", int(measured.group(1)), "", MEASURED, "%d failed; the log names them" % failed if failed else "")]


def overlap_command(counters):
    def command(context):
        table = context.write("overlap_kernels.csv", kernel_tables.self_test())
        beside = ["--beside", "proxy,copies", "--channels", "2", "--rates", "50", "--rounds", "1"]
        words, env = context.measuring("echo-overlap", context.path("overlaps%s.h5" % ("-counters" if counters else "")),
                                       "--kernels", table, *beside, "--budget", str(context.budget(most=60)),
                                       *([] if counters else ["--no-counters"]))
        return Command(words, env)
    return command


def check_overlap(context, ended):
    if context.is_dry_run:
        found = re.search(r"(\d+) cells", ended.text())
        if not found:
            raise Failed("echo-overlap --dry-run printed no plan", "see the log")
        return [Number("cells", int(found.group(1)), "", PLANNED)]
    rows = re.search(r": (\d+) rows, digest", ended.text())
    if not rows or int(rows.group(1)) == 0:
        raise Failed("no overlap was measured", "see the log")
    refused = re.search(r"counters of only (\d+) kernels: (.*)", ended.text())
    return [Number("rows", int(rows.group(1)), "", MEASURED, "hardware counters: " + refused.group(2) if refused else "")]


def steps(context):
    return [
        Step("files", "files of the bundle, C library", check=check_files, again=True),
        Step("driver", "GPU and driver", check=check_driver, again=True),
        Step("libraries", "libraries that the programs need", check=check_libraries, again=True),
        Step("pytorch", "Python with PyTorch", check=check_torch, again=True),
        Step("echo_sweep", "echo-sweep runs a sweep of one point", sweep_command, limit=60, files=["tiny.h5"]),
        Step("echo_profile", "echo-profile times four kernels", profile_command, check_profile, limit=120, files=["profile.h5"]),
        Step("echo_overlap", "echo-overlap, without counters", overlap_command(False), check_overlap, limit=120,
             files=["overlaps.h5"]),
        Step("echo_overlap_counters", "echo-overlap, with hardware counters", overlap_command(True), check_overlap, limit=90,
             files=["overlaps-counters.h5"]),
        inject_step(),
        trace_on_gpu_step("echo_trace_nccl", "echo-trace --backend nccl, one rank of four", "tiny", 4),
    ]
