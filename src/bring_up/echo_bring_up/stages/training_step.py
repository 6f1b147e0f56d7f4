"""A training step of PyTorch four times: timed, profiled, traced and priced, generated and predicted; and as a CUDA graph."""

import json
import os

from .. import results
from ..record import COUNTED, MEASURED, PREDICTED, Number
from ..step import Command, Failed, NotRun, Step
from ..tracing_steps import trace_on_gpu_step, with_package
from ..training import as_sweep
from ..training.sizes import NEEDS_GIB, largest_that_fits

title = "a Llama step in PyTorch: timed, profiled, traced, generated"


def size_of(context):
    """The chosen size; else the largest that this GPU holds. A dry run traces and predicts it, and times a tiny one."""
    if context.options.size:
        return context.options.size
    if context.is_dry_run and not context.machine["gpus"]:
        return "1b"
    context.need_gpu()
    gib = context.machine["gpus"][0]["memory"] / 2.0 ** 30
    size = largest_that_fits(gib)
    if size is None:
        raise NotRun("the GPU has %.0f GiB; the smallest step needs %d" % (gib, NEEDS_GIB["1b-half"]),
                     "--size tiny runs, but says little")
    return size


def run_size(context):
    return "tiny" if context.is_dry_run else size_of(context)


def where(context):
    return "on the CPU, size tiny: it shows that the step runs" if context.is_dry_run else "size %s" % size_of(context)


def run_step(mode, steps, warm_up):
    def command(context):
        if mode == "graph" and context.is_dry_run:
            raise NotRun("a dry run: CUDA graphs need a GPU")
        few = context.is_dry_run
        words = context.training(mode, "--size", run_size(context), "--device", context.device, "--steps", "2" if few else str(steps),
                                 "--warm-up", "1" if few else str(warm_up), "--json", context.path(mode + ".json"))
        if mode == "profile":
            words += ["--trace", context.path("step.pt.trace.json.gz")]
        return Command(words)
    return command


def facts_of(context, mode):
    with open(context.path(mode + ".json")) as file:
        return json.load(file)


def check_time(context, _):
    facts = facts_of(context, "time")
    if "step_s" not in facts:
        raise Failed("it ended before its steps were timed", "see the log")
    falls = "on one repeated batch, from %.4g" % facts["first_loss"] + \
        ("" if facts["loss"] < facts["first_loss"] else ": it does not fall, so this is not training; doubt the times, too")
    numbers = [Number("step, timed", facts["step_s"], "s", MEASURED, where(context)),
               Number("step, the host waiting for each", facts["waited_step_s"], "s", MEASURED, where(context)),
               Number("loss", facts["loss"], "", MEASURED, falls)]
    if "memory_peak_bytes" in facts:
        numbers.append(Number("memory at its peak", facts["memory_peak_bytes"], "B", MEASURED, "allocated, without reserve"))
    return numbers


def check_profile(context, _):
    facts = facts_of(context, "profile")
    why = "the profile has no kernel of a GPU" + (": a dry run" if context.is_dry_run else "")
    if facts.get("busy_s") is None and not context.is_dry_run:
        raise Failed(why, "CUPTI delivered none: another profiler may hold the GPU; see the step `inject` of the self-test")
    return [Number("step, profiled", facts.get("profiled_step_s"), "s", MEASURED, "%s, under torch.profiler" % where(context)),
            Number("of it the GPU is busy", facts.get("busy_s"), "s", MEASURED, "" if facts.get("busy_s") else why),
            Number("kernels in a step", facts.get("kernels"), "", COUNTED, "" if facts.get("kernels") else why)]


def check_graph(context, _):
    facts = facts_of(context, "graph")
    if "graph_step_s" not in facts:
        raise Failed("it ended before a graph was replayed", "see the log")
    saved = facts["eager_step_s"] - facts["graph_step_s"]
    return [Number("step, eager", facts["eager_step_s"], "s", MEASURED, "AdamW of the kind that graphs can hold"),
            Number("step, one CUDA graph", facts["graph_step_s"], "s", MEASURED, where(context)),
            Number("what the graph saves", saved, "s", MEASURED, "exposed host time of the eager step")]


def trace_command(context):
    """Shapes by echo-trace, on the CPU whatever the machine has: the same program, as the only rank of its job."""
    plain = context.training("plain", "--size", size_of(context), "--device", "cuda", "--steps", "3")
    words = [plain[0], "-B", "-m", "echo_sweep.tracer", "--world", "1", "-o", context.path("traced.jsonl.gz"), "--", *plain]
    return Command(words, with_package(context, os.environ))


def check_trace(context, _):
    from ..trace_counts import counts_of

    compute, _, _ = counts_of(context.path("traced.jsonl.gz"))
    if compute == 0:
        raise Failed("the trace holds no kernel", "see the log")
    return [Number("kernels in the trace", compute, "", COUNTED, "shapes, no times")]


def predict(kind, profiled):
    """Predicts the step: `kind` generated or traced; `profiled`: with the kernels that this run measured."""
    name = kind + ("_profiled" if profiled else "")

    def command(context):
        cluster, size = context.cluster(), size_of(context)
        context.write("presets.toml", as_sweep.presets(size))
        if kind == "traced" and not os.path.exists(context.path("traced.jsonl.gz")):
            raise NotRun("there is no trace", "see the step `trace`")
        text = as_sweep.traced(size, cluster, "traced.jsonl.gz") if kind == "traced" else as_sweep.generated(size, cluster)
        words, env = context.sweeping("run", context.write(kind + ".toml", text), "-o", context.path(name + ".h5"), "--fresh", "-q")
        if profiled:
            profile = context.path("kernels.h5", "kernels")
            if not os.path.exists(profile):
                raise NotRun("this run measured no kernels" + (": a dry run" if context.is_dry_run else ""),
                             "" if context.is_dry_run else "see the stage `kernels`")
            words += ["--profile", profile]
        return Command(words, env)

    def check(context, _):
        rows = results.rows_of(context, context.path(name + ".h5"))
        if not rows or any(row["status"] != "ok" for row in rows):
            raise Failed("the simulator says the step cannot run: %s" % (rows and rows[0].get("reason")), "see the log")
        note = "size %s on %s%s" % (size_of(context), context.preset(), ", assumed: no GPU here" if context.is_dry_run and not context.options.gpu else "")
        numbers = []
        for row, what in zip(rows, ("", ", CUDA graph")):
            share = "; %.0f %% of the kernel time measured" % (100 * row["measured_share"]) if profiled else ""
            numbers.append(Number("step, %s%s" % (kind, what), row["step_time"], "s", PREDICTED, note + share))
        return numbers

    title_of = {"generated": "predicted: the step as the simulator generates it", "traced": "predicted: the step as traced"}[kind]
    return Step("predict_" + name, title_of + (", with this run's kernels" if profiled else ""), command, check, limit=60,
                files=[name + ".h5", kind + ".toml", "presets.toml"], again=True)


def steps(context):
    """What needs no GPU and little time comes first; no step may take what the others need."""
    return [
        predict("generated", False),
        Step("time", "timed: 20 steps after 5", run_step("time", 20, 5), check_time, limit=120, files=["time.json"], of=run_size),
        Step("profile", "profiled: 3 steps", run_step("profile", 3, 5), check_profile, limit=90,
             files=["profile.json", "step.pt.trace.json.gz"], of=run_size),
        Step("graph", "CUDA graph: 20 replays", run_step("graph", 20, 5), check_graph, limit=80, files=["graph.json"],
             of=run_size),
        Step("trace", "traced on the CPU: kernels and shapes", trace_command, check_trace, limit=80, files=["traced.jsonl.gz"],
             of=size_of),
        predict("traced", False), predict("generated", True), predict("traced", True),
        trace_on_gpu_step("trace_nccl", "traced: as rank 0 of 8, data parallel, NCCL answered", size_of, 8),
    ]
