"""From a profile of torch.profiler: how long the GPU was busy in a step, with how many kernels. Needs no PyTorch."""

import gzip
import json

ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")  # categories of Kineto's events


def union_of(intervals):
    """Length of the union of (begin, end) pairs."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        if end > reached:
            total += end - max(begin, reached)
            reached = end
    return total


def summary_of(path, steps):
    """{busy_s, kernels, profiled_step_s} a step, each None where the profile does not say."""
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        events = json.load(file)
    events = [e for e in (events["traceEvents"] if isinstance(events, dict) else events) if e.get("ph") == "X"]
    ran = [(e["ts"], e["ts"] + e["dur"]) for e in events if e.get("cat") in ON_GPU]
    marked = {e["name"]: e["dur"] for e in events
              if str(e.get("name", "")).startswith("ProfilerStep#") and e.get("cat") == "user_annotation"}
    return {"busy_s": union_of(ran) * 1e-6 / steps if ran else None,
            "kernels": len([1 for e in events if e.get("cat") == "kernel"]) / steps if ran else None,
            "profiled_step_s": sum(marked.values()) * 1e-6 / len(marked) if marked else None}
