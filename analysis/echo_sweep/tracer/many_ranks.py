"""Traces of several ranks, a process each, merged into one file."""

import json
import os
import subprocess
import sys
import tempfile

from .rank_classes import Families, find_classes, relative_signature
from .trace_file import TraceError, merge, read


def write_families(families, path):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(families, out)


class Children:
    """Runs itself once for each rank; a rank is traced once however often it is asked for."""

    def __init__(self, options):
        self._options = options
        self._known = {}
        self._families = None

    def of(self, ranks):
        with tempfile.TemporaryDirectory(prefix="echo-trace-") as folder:
            return merge([self._trace_of(rank, folder) for rank in ranks])

    def by_class(self):
        with tempfile.TemporaryDirectory(prefix="echo-trace-") as folder:
            self._trace_of(0, folder)

            def signature(rank):
                trace = self._trace_of(rank, folder)
                groups = {group.name: (group.role, group.ranks) for group in trace.groups}
                return relative_signature(trace.ranks[0].nodes, rank, groups)

            classes = find_classes(Families(self._options.world, self._families), signature)
            return merge([self._known[rank] for rank in sorted(classes)], classes)

    def _trace_of(self, rank, folder):
        if rank in self._known:
            return self._known[rank]
        options, output = self._options, os.path.join(folder, f"{rank}.jsonl")
        families = os.path.join(folder, f"{rank}.families")
        command = [sys.executable, "-m", "echo_sweep.tracer", "--world", str(options.world), "--rank", str(rank), "-o", output,
                   "--step", str(options.step), "--ranks-per-node", str(options.ranks_per_node), "--families", families,
                   *(["--continue"] if options.go_on else []),
                   *(["--routing", options.routing] if options.routing else []), "--", *options.script]
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True,
                              env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)})
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"status {done.returncode}"]
            raise TraceError(f"rank {rank}: {lines[-1].removeprefix('echo-trace: ')}")
        sys.stderr.write(done.stderr)
        if self._families is None:
            with open(families, encoding="utf-8") as text:
                self._families = [(role, lists) for role, lists in json.load(text)]
        self._known[rank] = read(output)
        return self._known[rank]
