"""A step of a stage: one command, or one question to the machine, that a stage can lose without losing the others."""

from . import record


class NotRun(Exception):
    """The step cannot run here: why, in a sentence, and what would let it ("" where nothing would)."""

    def __init__(self, why, fix=""):
        super().__init__(why)
        self.why, self.fix = why, fix


class Failed(Exception):
    """The step ran and went wrong: why, and what to fix."""

    def __init__(self, why, fix):
        super().__init__(why)
        self.why, self.fix = why, fix


class Command:
    """What a step runs: words, environment, statuses that mean that it did part of its work, and the seconds it may take
    where that is less than its step's limit: those it was given as a budget, and some to start and to end."""

    def __init__(self, words, env=None, partial=(), folder=None, limit=float("inf")):
        self.words, self.env, self.partial, self.folder, self.limit = words, env, partial, folder, limit


class Step:
    """`command(context)` gives the Command, None where `check` alone does the work; raises NotRun.
    `check(context, ended)` looks at what it left and returns Numbers; raises Failed or NotRun.
    `files`: what it leaves, relative to the stage's folder. `limit`: seconds it may take, of those the stage has left.
    `of(context)`: a word for what it depends on beside the machine; done for another word is not done.
    `again`: also when an earlier run has done it."""

    def __init__(self, name, title, command=None, check=None, limit=120.0, files=(), again=False, of=None):
        self.name, self.title, self.command, self.check, self.of = name, title, command, check, of
        self.limit, self.files, self.again = limit, list(files), again


def record_of(step, outcome, **what):
    return record.StepRecord(step.name, step.title, outcome, **what)


def word_of(step, context):
    """What the step is done for now; "" where that cannot be said, which is the step's own trouble once it begins."""
    try:
        return step.of(context) if step.of else ""
    except NotRun:
        return ""
