"""The command line."""

import argparse

from . import stages
from .training.sizes import SIZES


def parse(words):
    parser = argparse.ArgumentParser(prog="echo-bring-up", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description="What one hour on a GPU can tell echo-sweep: checks, kernels, overlaps, a "
                                     "training step, and a report with one archive to take home.\nRun it again with the same "
                                     "folder to go on: finished steps are not repeated.")
    parser.add_argument("out", nargs="?", default="", help="folder of results (bring-up-results, or bring-up-dry-run)")
    parser.add_argument("--dry-run", action="store_true", help="go through every stage without a GPU: plans, PyTorch on the CPU")
    parser.add_argument("--stages", default=",".join(stages.ORDER), help="which, as in self_test,kernels (all: %(default)s)")
    parser.add_argument("--again", action="store_true", help="forget what earlier runs of the chosen stages did")
    parser.add_argument("--sweep", default="", help="a sweep (.toml) or its results (.h5) whose kernels are measured")
    parser.add_argument("--limit", type=float, default=480.0, help="seconds that a stage may take (%(default)g)")
    parser.add_argument("--size", choices=sorted(SIZES), default="", help="of the training step (the largest that fits)")
    parser.add_argument("--python", default="", help="a Python with PyTorch (this one, or the first on PATH that has it)")
    parser.add_argument("--libraries", action="append", default=[], help="folder with NVIDIA libraries; repeatable")
    parser.add_argument("--gpu", default="", help="preset of this GPU kind, where the catalog does not know its name")
    parser.add_argument("--programs", default="", help="folder of echo-sweep, echo-profile, echo-overlap (the bundle's)")
    parser.add_argument("--stage-process", default="", help=argparse.SUPPRESS)  # how this program calls itself
    options = parser.parse_args(words)
    options.chosen = [name for name in options.stages.split(",") if name]
    unknown = [name for name in options.chosen if name not in stages.ORDER]
    if unknown or not options.chosen:
        parser.error("--stages %s: stages are %s" % (options.stages, ", ".join(stages.ORDER)))
    if not options.limit >= 10.0:
        parser.error("--limit %g: a stage needs 10 s at least" % options.limit)
    options.out = options.out or ("bring-up-dry-run" if options.dry_run else "bring-up-results")
    return options
