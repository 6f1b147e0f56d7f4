"""Runs a user's training script as one rank of many, until it has done the step that is asked for."""

import os
import runpy
import sys
import traceback

from .recording import Recording
from .trace_file import TraceError


class StepDone(BaseException):
    """Ends the script; no `except Exception` of its own holds it."""


class Steps:
    """A step ends with optimizer.step(). Several optimizers that step one after the other end one step together: the
    next begins with the first op that is not an optimizer's."""

    def __init__(self, wanted, go_on):
        self.wanted, self.go_on = wanted, go_on
        self.done = 0        # steps that ended
        self._count = 0      # optimizers that ended this one
        self._usual = 1      # those of the step before
        self._since = None   # nodes recorded when the last optimizer stepped

    def ended(self, recording):
        nodes = recording.recorder.nodes
        together = self._since is not None and all(node.pass_ == "optimizer" for node in nodes[self._since:])
        if recording.finished is not None:
            return
        if together:
            self._count += 1
        else:
            self._usual, self._count = max(1, self._count), 1
            self.done += 1
        if self.done == self.wanted - 1:
            recording.restart()
        self._since = len(recording.recorder.nodes)
        if self.done == self.wanted and self._count >= self._usual:
            recording.finish()
            if not self.go_on:
                raise StepDone


def command_of(words):
    """(module or None, script or None, arguments) of `python [-u] train.py ...`, `python -m package ...` or `train.py ...`.
    torchrun's options are not understood: the tracer does what it does."""
    words = list(words)
    if words and os.path.basename(words[0]).startswith("python"):
        words.pop(0)
        while words and words[0] in ("-u", "-O", "-B", "-s", "-E"):
            words.pop(0)
    if words[:1] == ["-m"] and len(words) > 1:
        return words[1], None, words[2:]
    if not words or words[0].startswith("-"):
        raise TraceError("name a script after --: echo-trace --world 8 --rank 0 -o step.jsonl -- python train.py ...")
    if os.path.basename(words[0]) in ("torchrun", "deepspeed", "accelerate", "mpirun", "srun"):
        raise TraceError(f"{words[0]} starts many processes; name the script itself: -- python train.py ...")
    if not os.path.isfile(words[0]):
        raise TraceError(f"no script {words[0]}; name it as python would")
    return None, words[0], words[1:]


def run(words, world, rank, step=2, go_on=False, ranks_per_node=8, routing=None):
    """(trace, families of groups) of step `step` of the script on `rank`."""
    module, script, arguments = command_of(words)
    steps = Steps(step, go_on)
    recording = Recording(world, rank, ranks_per_node, steps.ended, routing)
    argv, path = sys.argv, list(sys.path)
    sys.argv = [script or module, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)) if script else os.getcwd())
    try:
        with recording:
            if step == 1:
                recording.restart()
            if script:
                runpy.run_path(script, run_name="__main__")
            else:
                runpy.run_module(module, run_name="__main__", alter_sys=True)
    except StepDone:
        pass
    except SystemExit as stopped:
        if stopped.code not in (None, 0) and not _complete(steps):
            raise TraceError(f"the script left with status {stopped.code} before its step {step} ended") from None
    except TraceError:
        raise
    except Exception as error:
        if not _complete(steps):
            raise TraceError(told(error, script or module, rank)) from error
    finally:
        sys.argv, sys.path[:] = argv, path
    if not _complete(steps):
        raise TraceError(f"the script ended after {steps.done} optimizer steps, before step {step}; name an earlier one with "
                         f"--step, or let it run longer")
    return recording.trace(), recording.families()


def _complete(steps):
    return steps.done >= steps.wanted


def told(error, script, rank):
    """An exception of the script on one line: where in the script, what, and what may help."""
    at = [frame for frame in traceback.extract_tb(error.__traceback__)
          if "/echo_sweep/tracer/" not in frame.filename and "/torch/" not in frame.filename and "runpy" not in frame.filename]
    where = f"{at[-1].filename}:{at[-1].lineno}" if at else str(script)
    what = " ".join(str(error).split())[:300] or "no message"
    name = type(error).__name__
    if "DynamicOutputShape" in name:
        what += (" (a shape that depends on values, which are not known without a GPU; of a mixture of experts, --routing "
                 "balanced says what its routers choose)")
    return f"{where}: on rank {rank}: {name}: {what}"
