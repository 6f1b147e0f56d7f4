"""How much kernels and communication slow each other: each family of kernels in a run and a file of its own, so that one that
fails costs no other."""

import os
import re

from .. import kernel_tables
from ..record import COUNTED, MEASURED, PLANNED, PREDICTED, Number
from ..step import Command, Failed, NotRun, Step

title = "kernels beside the NCCL proxy, copies, and NCCL where there are two GPUs"
CHANNELS, RATES = "2,8,16,24", "25,50,100,200,400"


def overlap_step(family, share, beside="proxy,copies", suffix=""):
    """`share`: of the time that the stage has left when the step begins."""
    name = family + suffix

    def command(context):
        if beside == "nccl" and not context.is_dry_run and len(context.machine["gpus"]) < 2:
            context.need_gpu()
            raise NotRun("collectives of NCCL need two GPUs; this machine has one: the proxy stands in for them")
        budget = context.budget(share)
        table = context.write(family + ".csv", kernel_tables.family(family))
        words, env = context.measuring("echo-overlap", context.path(name + ".h5"), "--kernels", table, "--beside", beside,
                                       "--channels", CHANNELS, *(["--rates", RATES] if "proxy" in beside else []),
                                       "--budget", str(budget))
        return Command(words, env, limit=context.within(budget))

    def check(context, ended):
        if context.is_dry_run:
            found = re.search(r"(\d+) cells, (\d+) rounds?: (\d+) s", ended.text())
            if not found:
                raise Failed("echo-overlap --dry-run printed no plan", "see the log")
            return [Number("cells", int(found.group(1)), "", PLANNED, "%s rounds, about %s s on an H100, by guesses" % (
                found.group(2), found.group(3)))]
        rows = re.search(r": (\d+) rows, digest", ended.text())
        if not rows and ended.cut and os.path.exists(context.path(name + ".h5")):
            return [Number("rows", "some", "", MEASURED, "until it was cut off")]
        if not rows or int(rows.group(1)) == 0:
            raise Failed("no overlap was measured", "see the log")
        refused = re.search(r"counters of only (\d+) kernels: (.*)", ended.text())
        return [Number("rows", int(rows.group(1)), "", MEASURED, "hardware counters: " + refused.group(2) if refused else "")]

    of = {"products": "products", "grouped": "grouped products", "attention": "attention", "norms": "norms and activations"}[family]
    beside_what = "NCCL" if beside == "nccl" else "the proxy and copies"
    return Step(name, "echo-overlap: %s beside %s" % (of, beside_what), command, check, limit=400, files=[name + ".h5"])


def import_command(context):
    """All files as one dataset: what the archive's reader makes of them, and how much longer overlapped kernels took."""
    files = [context.path(name + ".h5") for name in ("products", "attention", "grouped", "norms", "products_nccl")]
    files = [path for path in files if os.path.exists(path)]
    if not files:
        raise NotRun("no overlap was measured" + (": a dry run" if context.is_dry_run else ""))
    context.preset()  # rows of a GPU that the catalog does not know are kept for a catalog that does
    words, env = context.sweeping("slowdown", "import", *files, "-o", context.path("overlaps.h5"))
    return Command(words, env)


def check_import(context, ended):
    rows = re.search(r"^(\d+) rows", ended.text(), re.MULTILINE)
    longer = re.search(r"overlapped, ([+-][0-9.]+) %", ended.text())
    return [Number("rows", int(rows.group(1)), "", COUNTED)] * bool(rows) + \
        [Number("overlapped kernels take longer by", float(longer.group(1)), "%", MEASURED)] * bool(longer)


def evaluate_command(context):
    if not os.path.exists(context.path("overlaps.h5")):
        raise NotRun("there is no dataset of overlaps", "see the steps before this one")
    words, env = context.sweeping("slowdown", "evaluate", context.path("overlaps.h5"), "--features", "simulator", "--folds", "2",
                                  "--repeats", "1", "--csv", context.path("evaluated.csv"))  # what is asked for learns nothing
    return Command(words, env)


def check_evaluate(context, ended):
    found = re.findall(r"^(no_slowdown|white_box) +([0-9.]+) %", ended.text(), re.MULTILINE)
    return [Number("mean error of the overlapped time, %s" % name.replace("_", " "), float(error), "%", PREDICTED,
                   "beside these measurements") for name, error in dict(found).items()]


def steps(context):
    return [overlap_step("products", 0.3), overlap_step("attention", 0.28), overlap_step("grouped", 0.4),
            overlap_step("norms", 0.6), overlap_step("products", 0.8, "nccl", "_nccl"),
            Step("import", "echo-sweep slowdown import: all of them", import_command, check_import, limit=60, again=True,
                 files=["overlaps.h5"]),
            Step("evaluate", "echo-sweep slowdown evaluate: what is predicted for them", evaluate_command, check_evaluate, limit=60,
                 again=True, files=["evaluated.csv"])]
