"""Counts what a trace of echo-trace holds (src/trace_io/README.md), without PyTorch or numpy."""

import gzip
import json


def counts_of(path):
    """(compute ops, those of them with a duration, communication) of a file of JSON Lines, plain or gzipped."""
    compute = timed = communication = 0
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        for line in file:
            node = json.loads(line)
            if "echo_trace" in node or "name" not in node:
                continue
            if node.get("kind", "compute") == "compute":
                compute += 1
                timed += "duration_ns" in node
            else:
                communication += 1
    return compute, timed, communication
