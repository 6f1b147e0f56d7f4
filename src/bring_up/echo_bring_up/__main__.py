"""echo-bring-up: runs the stages one after the other, each in a process of its own with a time limit."""

import json
import os
import signal
import subprocess
import sys
import time

from . import child, machine, run_stage, stages
from .bundle import Bundle
from .context import Context
from .options import parse
from .record import StageRecord
from .text import say


def main(words=None):
    words = sys.argv[1:] if words is None else words
    options = parse(words)
    if options.stage_process:
        return one_stage(options)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends this program wants the report, too
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a lost connection does not end the hour; children inherit this
    try:
        if not prepare(options):
            return 2
    except KeyboardInterrupt:
        return 130
    results = {}
    for name in options.chosen:
        module = stages.stage(name)
        say("\n== %s  (%s, %.0f s at most)" % (name, module.title, options.limit))
        results[name] = started(options, name, words)
        if results[name] == "interrupted":
            break
    if "interrupted" in results.values() and "report" in options.chosen:
        say("\n== report, of what there is")
        results["report"] = started(options, "report", words)
    return summary(options, results)


def prepare(options):
    """The folder, and what the machine has; False where the folder is another kind of run's."""
    kind = os.path.join(options.out, "kind")
    wanted = "dry run\n" if options.dry_run else "measured\n"
    try:
        os.makedirs(options.out, exist_ok=True)
        if os.path.exists(kind):
            with open(kind) as file:
                if file.read() != wanted:
                    print("echo-bring-up: %s holds a %s\n  choose another folder, or delete it" % (
                        options.out, "measured run; a dry run would mix with it" if options.dry_run
                        else "dry run; measurements would mix with it"), file=sys.stderr)
                    return False
        with open(kind, "w") as file:
            file.write(wanted)
    except OSError as error:
        print("echo-bring-up: the folder of results cannot be written: %s\n  name another one" % error, file=sys.stderr)
        return False
    if options.again:
        for name in options.chosen:
            path = os.path.join(options.out, name, "steps.json")
            if os.path.exists(path):
                os.remove(path)
    say("echo-bring-up of %s\nlooking at this machine" % Bundle(options.programs).version())
    facts = machine.facts(options.python)
    if not keep(facts, os.path.join(options.out, "machine.json")):
        return False
    torch = facts["torch"]
    say("  GPU      %s" % (", ".join("%s (%.0f GiB)" % (gpu["name"], gpu["memory"] / 2.0 ** 30) for gpu in facts["gpus"])
                           or "none: " + facts["why"]))
    say("  PyTorch  %s" % ("%s for CUDA %s, %s" % (torch["version"], torch["cuda"], torch["python"])
                           if "version" in torch else "none: " + torch["why"]))
    return True


def keep(facts, path):
    """Writes what the machine has; False where the folder holds results of another kind of GPU."""
    try:
        with open(path) as file:
            before = [gpu["name"] for gpu in json.load(file)["gpus"]]
    except (OSError, ValueError, KeyError, TypeError):
        before = []
    now = [gpu["name"] for gpu in facts["gpus"]]
    if before and now and before != now:
        print("echo-bring-up: the folder holds results of %s; this machine has %s\n  name another folder" % (
            ", ".join(before), ", ".join(now)), file=sys.stderr)
        return False
    if before and not now:
        say("  the GPU of earlier runs is gone: " + facts["why"])
    with open(path, "w") as file:
        json.dump(facts, file, indent=1)
    return True


def started(options, name, words):
    """Runs one stage; returns "complete", "to be continued", "problems", "cut off", "interrupted" or "crashed"."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, [above, os.environ.get("PYTHONPATH", "")])))
    env, mark = child.with_mark(env, "ECHO_BRING_UP_STAGE")
    process = subprocess.Popen([sys.executable, "-B", "-m", __package__, *words, "--stage-process", name], env=env,
                               start_new_session=True)  # Ctrl-C reaches this process alone, which then ends the stage
    how, limits = "", child.Limits(options.limit)
    try:
        process.wait(timeout=limits.cut)
    except subprocess.TimeoutExpired:
        how = "cut off"
    except KeyboardInterrupt:
        how = "interrupted"
    child.end_marked(mark, limits.last)
    process.wait()
    kept = StageRecord(os.path.join(options.out, name, "steps.json"), options.dry_run)
    if how:
        kept.end("cut off after %.0f s" % options.limit if how == "cut off" else how)
        say("  the stage was %s; run the same command again to go on" % kept.ended)
        return how
    if kept.ended != "complete":
        kept.end("crashed with status %d" % process.returncode)
        say("  the stage %s; the next one goes on" % kept.ended)
        return "crashed"
    return {0: "complete", 75: "to be continued"}.get(process.returncode, "problems")


def one_stage(options):
    """The stage's own process."""
    with open(os.path.join(options.out, "machine.json")) as file:
        facts = json.load(file)
    context = Context(options, Bundle(options.programs), facts, time.monotonic())
    return run_stage.run(context, options.stage_process)


def summary(options, results):
    """What is printed last. Exit codes: 0 all that can run here is done, 1 problems, 75 call it again, 130 interrupted."""
    say("\n" + "\n".join("  %-14s %s" % item for item in results.items()))
    folder = os.path.join(options.out, "report")
    if os.path.exists(os.path.join(folder, "report.txt")):
        say("report: %s, %s" % (os.path.join(folder, "report.txt"), os.path.join(folder, "report.html")))
    if "interrupted" in results.values():
        return 130
    if "problems" in results.values() or "crashed" in results.values():
        return 1
    return 0 if all(how == "complete" for how in results.values()) else 75


if __name__ == "__main__":
    sys.exit(main())
