"""A machine that has a GPU as far as the kit can see: made-up nvidia-smi, PyTorch and measuring programs.

The programs write what the real ones write: echo-profile by its own --replay where it was built, echo-overlap by the test
program that writes datasets. A fake does by ECHO_FAKE_NAME=MODE what goes wrong: it fails, crashes, waits for ever, does not listen, or ends its stage.
"""

import os
import pathlib
import shutil
import stat
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ECHO_BUILD", REPOSITORY / "build/release"))

MODES = """
case "$ECHO_FAKE_{name}" in
  fail) echo "error: made-up trouble" >&2; exit 1 ;;
  no_driver) echo "error: no GPU here: CUDA driver version is insufficient for CUDA runtime version" >&2; exit 69 ;;
  crash) kill -SEGV $$ ;;
  wait) echo waiting; sleep 1000 ;;
  orphan) kill -KILL $PPID; sleep 1000 ;;
  deaf) trap '' TERM; echo deaf; while :; do sleep 1; done ;;
esac
"""
NVIDIA_SMI = """#!/bin/sh
[ "$ECHO_FAKE_SMI" = none ] && exit 9
echo "${ECHO_FAKE_GPU:-NVIDIA H100 80GB HBM3}, 580.95.05, 81559"
"""
# Words: [OUT.h5] --gaps T | --kernels T | --kinds K, ...: every second kernel of the table is "measured" in 100 us.
ECHO_PROFILE = """#!{python}
import csv, os, subprocess, sys
words = sys.argv[1:]
real = {real!r}
if "--dry-run" in words:
    sys.exit(subprocess.run([real, *words]).returncode)
subprocess.run(["sh", "-c", {modes!r}], check=False).returncode and sys.exit(1)
table = next((words[words.index(name) + 1] for name in ("--gaps", "--kernels") if name in words), None)
if table is None:
    print("0 kernels measured, 7 not reached")
    sys.exit(75)
with open(table) as file:
    rows = list(csv.DictReader(file))
keys = [key for key in rows[0] if key not in ("gpu", "share", "error", "price", "points")]
with open("launches.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\\n")
    out.writerow(["gpu", *keys, "library_version", "how", "date", "clock_mhz", "launches_us"])
    for row in rows:
        for _ in range(2):
            out.writerow(["h100-sxm", *(row[key] for key in keys), "made up", "by hand", "today", 1755,
                          " ".join(["300.000", "200.000"] + ["100.000"] * 12)])
sys.exit(subprocess.run([real, *words, "--replay", "launches.csv"]).returncode)
"""
ECHO_OVERLAP = """#!/bin/sh
case "$*" in *--dry-run*) exec {real} "$@" ;; esac
{modes}
{write_overlaps} "$1" > /dev/null || exit 1
echo "$1: 60 rows, digest made-up"
"""
PYTHON = """#!{python}
import json, os, subprocess, sys
words = [word for word in sys.argv[1:] if word not in ("-B", "-u")]
modes = subprocess.run(["sh", "-c", {modes!r}]).returncode
if words[0] == "-c" and "import torch" in words[1]:
    if os.environ.get("ECHO_FAKE_TORCH") == "none":
        sys.exit("ModuleNotFoundError: No module named 'torch'")
    print("FACTS" + json.dumps(dict(version="2.11.0+cu130", cuda="13.0", python=sys.argv[0], folder="/nowhere/torch",
                                    python_version="3.12.3", sees_gpu=True, nccl="2.28.9", numpy="2.0")))
elif modes:
    sys.exit(modes)
elif words[0].endswith("step.py"):
    facts = dict(mode=words[1], size=words[words.index("--size") + 1], device="cuda", torch="2.11.0", gpu="NVIDIA H100 80GB HBM3")
    more = dict(time=dict(step_s=0.2, waited_step_s=0.21, loss=1.0, first_loss=9.0, memory_peak_bytes=30 * 2 ** 30),
                profile=dict(profiled_step_s=0.22, busy_s=0.17, kernels=1200), graph=dict(eager_step_s=0.2, graph_step_s=0.18))
    if "--json" in words:
        with open(words[words.index("--json") + 1], "w") as file:
            json.dump(dict(facts, **more.get(words[1], {{}})), file)
elif "exsitu_records" in " ".join(words):
    print("kernels 12")
elif words[:2] == ["-m", "echo_sweep.tracer"]:
    import gzip
    nodes = [dict(echo_trace=1, world=int(words[words.index("--world") + 1]), source="made up",
                  groups=[dict(name="world", role="data", ranks=[0])]), dict(rank=0),
             dict(name="mm", duration_ns=1000.0, kernel=dict(kind="gemm", m=4096, n=4096, k=4096), **{{"pass": "forward"}}),
             dict(kind="collective", name="allreduce", collective="all_reduce", precision="fp32", group="world", bytes=4096,
                  **{{"pass": "backward"}})]
    if nodes[0]["world"] == 1:
        nodes[0]["groups"] = []
        nodes.pop()
    with gzip.open(words[words.index("-o") + 1], "wt") as file:
        file.write("".join(json.dumps(node) + "\\n" for node in nodes))
"""


def write_program(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path


def modes(name):
    return MODES.format(name=name)


def has_profilers():
    """Whether the build has the programs that measure, and the one that writes datasets for tests."""
    return all((BUILD / "bin" / name).exists() for name in ("echo-profile", "echo-overlap", "write_overlaps"))


def make_machine(folder):
    """Programs below folder/bin, tools below folder/tools; returns the environment of somebody at that machine."""
    programs, tools = folder / "bin", folder / "tools"
    for path in (programs, tools, folder / "lib"):
        path.mkdir(parents=True)
    (folder / "share").symlink_to(BUILD / "share")
    (programs / "echo-sweep").symlink_to(BUILD / "bin/echo-sweep")
    real = str(BUILD / "bin/echo-profile")
    write_program(programs / "echo-profile", ECHO_PROFILE.format(python=sys.executable, real=real, modes=modes("PROFILE")))
    write_program(programs / "echo-overlap", ECHO_OVERLAP.format(real=BUILD / "bin/echo-overlap", modes=modes("OVERLAP"),
                                                                 write_overlaps=BUILD / "bin/write_overlaps"))
    for name in ("libecho_nccl.so", "libecho_inject.so"):
        if (BUILD / "lib" / name).exists():
            shutil.copy(BUILD / "lib" / name, folder / "lib" / name)
    write_program(tools / "nvidia-smi", NVIDIA_SMI)
    write_program(tools / "torch-python", PYTHON.format(python=sys.executable, modes=modes("PYTHON")))
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("ECHO_FAKE", "PYTHON"))}
    return dict(plain, PATH=f"{tools}:{plain['PATH']}")
