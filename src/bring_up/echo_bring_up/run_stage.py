"""Runs the steps of one stage, in a process of its own: each step's end is on disk before the next one begins."""

import os
import signal
import time
import traceback

from . import child, fixes, record, stages
from .step import Failed, NotRun, record_of, word_of
from .text import number_text, say


class Stopped(BaseException):
    """The stage was asked to stop: its time is up, or somebody pressed Ctrl-C."""


def _stop(*_):
    raise Stopped


def run(context, name):
    """Runs stage `name`; returns 0 where every step that can run here is done, 75 where some were cut off, 1 where one failed."""
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    kept = context.record(name)
    context.begin(name)
    try:
        for step in stages.stage(name).steps(context):
            if kept.is_done(step.name, word_of(step, context)) and not step.again:
                tell(kept.steps[step.name], " (by an earlier run)")
                continue
            kept.add(run_step(context, step))
            tell(kept.steps[step.name])
        kept.end("complete")
    except Stopped:
        kept.end("stopped")
        return 1
    outcomes = {step.outcome for step in kept.steps.values()}
    return 1 if record.FAILED in outcomes else 75 if record.CUT in outcomes else 0


def run_step(context, step):
    """The record of one step. Whatever goes wrong in it, a mistake of this program too, ends as a record."""
    began = time.monotonic()
    log = os.path.join(context.folder, step.name + ".log")
    if os.path.exists(log):  # that of an earlier run
        os.replace(log, log + ".before")
    ended = None
    try:
        command = step.command(context) if step.command else None
        if command is not None:
            left = context.seconds_left()
            if left < 5.0:
                raise NotRun("no time was left in this stage", "run the same command again: finished steps are not repeated")
            limit = min(step.limit, command.limit, left)
            ended = child.run(command.words, log, limit, command.env, command.folder or context.folder, context.grace)
            complain(command, ended, limit)
        numbers = step.check(context, ended) if step.check else []
        how = dict(outcome=record.DONE, numbers=numbers or [])
        if ended is not None and command.partial and ended.status in command.partial:
            how.update(outcome=record.CUT, why="it used up its time; what it measured is kept",
                       fix="run the same command again: it goes on where it stopped")
    except NotRun as no:
        how = dict(outcome=record.NOT_RUN, why=no.why, fix=no.fix)
    except Cut as cut:
        how = dict(outcome=record.CUT, why=cut.why, fix=cut.fix, numbers=partial_numbers(context, step, ended))
    except Failed as bad:
        how = dict(outcome=record.FAILED, why=bad.why, fix=bad.fix)
    except Stopped:
        how = dict(outcome=record.CUT, why="the stage was stopped during this step; what it wrote is kept",
                   fix="run the same command again")
        context.record(context.name).add(finished(context, step, how, began, log))
        raise
    except Exception as error:  # noqa: BLE001 - one step's mistake must not cost the stages after it
        with open(log, "a") as file:
            traceback.print_exc(file=file)
        how = dict(outcome=record.FAILED, why="a mistake of echo-bring-up itself: %s: %s" % (type(error).__name__, error),
                   fix="send %s to the authors" % os.path.relpath(log, context.out))
    return finished(context, step, how, began, log)


class Cut(Exception):
    def __init__(self, why, fix):
        super().__init__(why)
        self.why, self.fix = why, fix


def complain(command, ended, limit):
    if ended.cut:
        raise Cut("cut off after %.0f s; what it wrote until then is kept" % limit,
                  "run the same command again; where it is cut off again, look into its log for where it waits")
    if ended.status != 0 and ended.status not in command.partial:
        why, fix = fixes.of(ended)
        raise Failed(why, fix)


def partial_numbers(context, step, ended):
    """Of a step that was cut off: the figures it left, if they can be read."""
    try:
        return step.check(context, ended) if step.check else []
    except Exception:  # noqa: BLE001
        return []


def finished(context, step, how, began, log):
    files = [os.path.relpath(path, context.out) for path in (os.path.join(context.folder, name) for name in step.files)
             if os.path.exists(path)]
    return record_of(step, of=word_of(step, context), seconds=time.monotonic() - began, files=files,
                     log=os.path.relpath(log, context.out) if os.path.exists(log) else "", **how)


def tell(step, suffix=""):
    """One step, as it is read while it happens."""
    lines = ["  %-8s %s%s" % (step.outcome, step.title, suffix)]
    lines += ["             %s: %s" % (number.name, number_text(number)) for number in step.numbers]
    lines += ["           %s: %s" % (word, said) for word, said in (("why", step.why), ("fix", step.fix)) if said]
    if step.outcome == record.FAILED and step.log:
        lines.append("           log: %s" % step.log)
    say("\n".join(lines))
