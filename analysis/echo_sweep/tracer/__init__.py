"""One training step of one rank of many, traced without a GPU and without the others.

    from echo_sweep import tracer
    trace = tracer.trace_step(build, world=8, rank=3)       # build() makes a model, returns what runs a step
    tracer.write(trace, "step.jsonl")

    with tracer.record(world=8, rank=3) as recording:       # all that runs within, from the last restart() on
        ...
    tracer.write(recording.trace(), "step.jsonl")

Tracing needs PyTorch (made with 2.15); reading, writing and comparing traces needs nothing.
"""

from .trace_file import Trace, TraceError, merge, read, write


def record(world, rank=0, **how):
    """Context in which this process is rank `rank` of `world` ranks, and its ops are recorded: recording.Recording."""
    from .recording import Recording

    return Recording(world, rank, **how)


def trace_step(build, world, rank=0, warmup=1, **how):
    """The trace of one step. `build()` runs as that rank: it makes process group, model and optimizer, and returns the
    function that does a step. `warmup` steps run before."""
    from .recording import Recording

    with Recording(world, rank, **how) as recording:
        step = build()
        for _ in range(warmup):
            step()
        recording.restart()
        step()
    return recording.trace()


__all__ = ["Trace", "TraceError", "merge", "read", "record", "trace_step", "write"]
