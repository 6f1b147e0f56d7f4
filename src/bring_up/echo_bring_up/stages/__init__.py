"""The stages, one file each: NAME.py has `title` and `steps(context)`, the list of its steps. They run in this order."""

import importlib

ORDER = ("self_test", "kernels", "overlaps", "training_step", "report")


def stage(name):
    return importlib.import_module("." + name, __name__)
