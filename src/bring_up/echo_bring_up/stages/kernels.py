"""How long kernels take alone: those of a sweep first, then a small grid for everything else. One profile holds both."""

import hashlib
import os
import re

from .. import measured_kernels
from ..record import MEASURED, PLANNED, Number
from ..step import Command, Failed, NotRun, Step
from ..training.as_sweep import generated, presets

title = "kernels alone: of a sweep, and of a small grid"
GRID = "gemm,attention_forward,attention_backward,norm_forward,norm_backward,activation_forward,activation_backward,elementwise," \
       "optimizer,grad_norm,rope,residual_forward"


def plan_command(context):
    """The kernels of the points of the sweep, on clusters of this GPU kind: of a result file, of its best points."""
    cluster, path = context.cluster(), context.options.sweep
    if path:
        if not os.path.exists(path):
            raise NotRun("--sweep %s: there is no such file" % path, "give its path from here")
        path = os.path.abspath(path)
    else:
        context.write("presets.toml", presets("1b"))
        path = context.write("kit.toml", generated("1b", cluster))
    if path.endswith(".h5"):
        words, env = context.sweeping("profile", "gaps", path, "-o", context.path("gaps.csv"))
    else:
        words, env = context.sweeping("profile", "plan", path, "--set", "space.cluster=%s" % cluster, "-o", context.path("gaps.csv"))
    return Command(words, env)


def check_plan(context, _):
    with open(context.path("gaps.csv")) as file:
        rows = sum(1 for line in file if line.strip()) - 1
    if rows < 1:
        raise Failed("the sweep has no kernel that could be measured", "is any of its points feasible? echo-sweep check says so")
    return [Number("kernels of the sweep", rows, "", PLANNED, os.path.basename(context.options.sweep) or "the kit's training step")]


def gaps_command(context):
    if not os.path.exists(context.path("gaps.csv")):
        raise NotRun("the kernels of the sweep are not known", "see the step before this one")
    return profile_command(context, context.budget(0.6), "--gaps", context.path("gaps.csv"))


def grid_command(context):
    return profile_command(context, context.budget(), "--kinds", GRID)


def profile_command(context, budget, *what):
    words, env = context.measuring("echo-profile", context.path("kernels.h5"), *what, "--budget", str(budget), *context.gpu_words())
    return Command(words, env, partial=(75,), limit=context.within(budget))


def check_profile(context, ended):
    if context.is_dry_run:
        found = re.search(r"(\d+) kernels, \d+ trains each: +(\d+) s", ended.text())
        if not found:
            raise Failed("echo-profile --dry-run printed no plan", "see the log")
        return [Number("kernels", int(found.group(1)), "", PLANNED, "about %s s on an H100, by guesses" % found.group(2))]
    measured = re.search(r"(\d+) kernels measured, (\d+) not reached", ended.text())
    failed = sum(map(int, re.findall(r"^ +failed +(\d+) ", ended.text(), re.MULTILINE)))
    if not measured:
        return []
    note = ["%s not reached" % measured.group(2)] * (measured.group(2) != "0")
    note += ["%d failed; the log names them" % failed] * (failed > 0)
    return [Number("kernels", int(measured.group(1)), "", MEASURED, ", ".join(note))]


def show_command(context):
    if not os.path.exists(context.path("kernels.h5")):
        raise NotRun("no kernel was measured")
    words, env = context.sweeping("profile", "list", context.path("kernels.h5"))
    return Command(words, env)


def digest_of_gaps(context):
    """Another sweep's kernels are another step; those that the profile has already take no time again."""
    try:
        with open(context.path("gaps.csv"), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def check_show(context, _):
    rows = measured_kernels.rows_of(context, context.path("kernels.h5"))
    return [Number("%s: measured over modelled, median" % kind, ratio, "", MEASURED, "%d kernels" % count)
            for kind, count, ratio in measured_kernels.ratios_by_kind(rows)]


def steps(context):
    return [
        Step("plan", "kernels of the sweep", plan_command, check_plan, limit=120, files=["gaps.csv"], again=True),
        Step("gaps", "echo-profile: the kernels of the sweep", gaps_command, check_profile, limit=400, files=["kernels.h5"],
             of=digest_of_gaps),
        Step("grid", "echo-profile: a small grid", grid_command, check_profile, limit=400, files=["kernels.h5"]),
        Step("list", "what the profile holds", show_command, check_show, limit=60, again=True),
    ]
