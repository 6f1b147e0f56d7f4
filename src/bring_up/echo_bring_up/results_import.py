"""Imports the archive as its reader will: unpacked somewhere else, by its own import.sh."""

import glob
import os
import shutil
import tarfile

from .step import Command, Failed, NotRun


def command(context):
    archives = glob.glob(os.path.join(context.out, "bring-up-*.tar.gz"))
    if not archives:
        raise NotRun("there is no archive")
    folder = context.path("unpacked")
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(max(archives, key=os.path.getmtime)) as tar:
        tar.extractall(folder)  # our own archive, written a moment ago
    (inside,) = os.listdir(folder)
    sweep, env = context.sweeping()
    return Command(["sh", os.path.join(folder, inside, "import.sh"), *sweep, context.path("imported")], env, partial=(1,))


def check(context, ended):
    folder = context.path("unpacked")
    shutil.rmtree(folder, ignore_errors=True)
    if ended.status != 0:
        raise Failed("a part of the archive was refused", "see the log: it names the file and the reason")
    return []
