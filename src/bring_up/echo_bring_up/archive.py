"""The one file to take home: what was measured, in the forms that echo-sweep imports, and everything needed to doubt it."""

import csv
import json
import os
import tarfile
import time

from . import measured_kernels
from .bundle import slug
from .training import as_sweep
from .training.sizes import SIZES

IMPORT = """#!/bin/sh
# Imports what echo-bring-up measured: sh import.sh [ECHO_SWEEP] [FOLDER]. Each part by itself: one that fails costs no other.
sweep=${1:-echo-sweep}
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
to=${2:-$here/imported}
mkdir -p "$to" || exit 1
failed=0
try() { echo "\\$ $*"; "$@" || { failed=1; echo "this part failed; the others go on" >&2; }; }
[ -f "$here/kernels.csv" ] && try "$sweep" profile import "$here/kernels.csv" -o "$to/kernels.h5"
set -- "$here"/overlaps-*.h5
[ -f "$1" ] && try "$sweep" slowdown import "$@" -o "$to/overlaps.h5"
[ -f "$here/steps.csv" ] && try "$sweep" validate "$here/steps.csv" --include "$here/presets.toml"
exit $failed
"""
README = """What echo-bring-up measured on {gpu}, {date}.

    sh import.sh /path/to/echo-sweep      # makes imported/kernels.h5, imported/overlaps.h5, and validates steps.csv

kernels.csv, kernels.h5   kernels alone: echo-sweep profile import; price a sweep with --profile imported/kernels.h5
overlaps-*.h5             kernels beside communication: echo-sweep slowdown import
steps.csv, presets.toml   the training step: echo-sweep validate steps.csv --include presets.toml
step.pt.trace.json.gz     the step under torch.profiler
traced.jsonl.gz, trace_nccl.jsonl.gz    the step as echo-trace saw it, on the CPU and on the GPU
report.txt, report.html   what it says; machine.json: where; logs/: everything that was printed
What is not here was not measured: report.txt says why.
"""
# (stage, file, name in the archive)
TAKEN = [("kernels", "kernels.h5", "kernels.h5"), ("kernels", "gaps.csv", "gaps.csv"),
         ("overlaps", "products.h5", "overlaps-products.h5"), ("overlaps", "attention.h5", "overlaps-attention.h5"),
         ("overlaps", "grouped.h5", "overlaps-grouped.h5"), ("overlaps", "norms.h5", "overlaps-norms.h5"),
         ("overlaps", "products_nccl.h5", "overlaps-products-nccl.h5"),
         ("training_step", "step.pt.trace.json.gz", "step.pt.trace.json.gz"), ("training_step", "time.json", "time.json"),
         ("training_step", "profile.json", "profile.json"), ("training_step", "graph.json", "graph.json"),
         ("training_step", "traced.jsonl.gz", "traced.jsonl.gz"), ("training_step", "trace_nccl.jsonl.gz", "trace_nccl.jsonl.gz"),
         ("report", "kernels.csv", "kernels.csv"), ("report", "steps.csv", "steps.csv"), ("report", "presets.toml", "presets.toml"),
         ("report", "report.txt", "report.txt"), ("report", "report.html", "report.html")]


def write_steps(context, facts, preset):
    """steps.csv and presets.toml: the timed step as a table of measured training steps; a dry run's is no measurement."""
    s = SIZES[facts["size"]]
    row = {"row_id": "bring-up-" + facts["size"], "source": "echo-bring-up", "framework": "torch-ddp", "recipe": "none",
           "gpu": preset, "num_gpus": 1, "layers": s["layers"], "hidden": s["hidden"], "heads": s["heads"], "kv_heads": s["heads"],
           "ffn_hidden": s["inner"], "gated_ffn": 1, "vocab": s["vocabulary"], "seq_len": s["tokens"], "precision": "bf16",
           "tp": 1, "pp": 1, "dp": 1, "micro_batch": s["samples"], "global_batch": s["samples"], "recompute": "none",
           "flash_attention": 1, "zero": 0, "step_time_s": repr(facts["step_s"]),
           "note": "PyTorch %s on %s" % (facts["torch"], facts.get("gpu", "a GPU"))}
    if "memory_peak_bytes" in facts:
        row.update(peak_mem_gib="%.4f" % (facts["memory_peak_bytes"] / 2.0 ** 30), mem_kind="allocated")
    with open(context.path("steps.csv"), "w", newline="") as file:
        out = csv.DictWriter(file, list(row), lineterminator="\n")
        out.writeheader()
        out.writerow(row)
    context.write("presets.toml", as_sweep.presets(facts["size"]))


def write(context):
    """Packs what there is; returns the archive's path and the names in it."""
    profile = context.path("kernels.h5", "kernels")
    if os.path.exists(profile):
        measured_kernels.write_table(measured_kernels.rows_of(context, profile), context.path("kernels.csv"), "echo-profile")
    gpu = context.gpu_name() or "no GPU"
    name = "bring-up-%s%s" % ("dry-run-" if context.is_dry_run else "", slug(gpu))
    path = os.path.join(context.out, name + ".tar.gz")
    context.write("import.sh", IMPORT)
    context.write("README.txt", README.format(gpu=gpu + (", a dry run: nothing is measured" if context.is_dry_run else ""),
                                              date=time.strftime("%Y-%m-%d")))
    members = [(context.path(file, stage), inside) for stage, file, inside in TAKEN]
    members += [(context.path("import.sh"), "import.sh"), (context.path("README.txt"), "README.txt"),
                (os.path.join(context.out, "machine.json"), "machine.json")]
    for stage in sorted(os.listdir(context.out)):
        folder = os.path.join(context.out, stage)
        if os.path.isdir(folder):
            members += [(os.path.join(folder, file), "logs/%s/%s" % (stage, file)) for file in sorted(os.listdir(folder))
                        if file.endswith(".log") or file == "steps.json"]
    inside = []
    with tarfile.open(path + ".part", "w:gz") as tar:
        for file, as_name in members:
            if os.path.exists(file):
                tar.add(file, name + "/" + as_name)
                inside.append(as_name)
    os.replace(path + ".part", path)
    return path, inside


def facts_of_step(context):
    """What the timed step wrote, where it got as far as its times; else None."""
    try:
        with open(context.path("time.json", "training_step")) as file:
            facts = json.load(file)
    except (OSError, ValueError):
        return None
    return facts if "step_s" in facts else None
