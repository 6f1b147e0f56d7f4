"""Our trace format, JSON Lines, as src/trace_io/README.md defines it: what the tracer writes, and what is compared."""

import gzip
import json
import os
from dataclasses import dataclass, field, replace

VERSION = 1
KINDS = ("compute", "collective", "send", "recv", "memory", "wait")
PASSES = ("unknown", "forward", "backward", "recompute", "optimizer")
ROLES = ("unknown", "data", "shard", "tensor", "context", "expert", "pipeline")
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "host_copy")
PRECISIONS = ("bf16", "fp16", "fp8", "mxfp8", "nvfp4", "tf32", "fp32")


class TraceError(Exception):
    """What a user can put right, on one line."""


@dataclass
class Node:
    """One op of a rank. `needs`, `follows`: places of earlier nodes in the rank's list."""
    kind: str = "compute"
    name: str = ""
    pass_: str = "unknown"
    stream: int = 0
    needs: list = field(default_factory=list)
    follows: list = field(default_factory=list)
    kernel: dict = None
    flops: float = 0
    bytes: int = 0
    collective: str = ""
    precision: str = "bf16"
    group: str = ""
    peer: int = -1
    tag: int = 0
    launch: int = -1
    duration_ns: float = -1
    gap_ns: float = 0


@dataclass
class Group:
    name: str
    role: str = "unknown"
    ranks: list = field(default_factory=list)


@dataclass
class RankTrace:
    rank: int
    nodes: list
    stands_for: list = None  # None: itself

    def represents(self):
        return [self.rank] if self.stands_for is None else self.stands_for


@dataclass
class Trace:
    world: int
    groups: list = field(default_factory=list)
    ranks: list = field(default_factory=list)
    gpu: str = ""
    source: str = ""
    notes: list = field(default_factory=list)

    def group_named(self):
        return {group.name: group for group in self.groups}

    def rank_for(self, rank):
        """The trace that says what `rank` does, or None."""
        return next((traced for traced in self.ranks if rank in traced.represents()), None)


_DEFAULTS = Node()


def _short(number):
    """Whole numbers without a point: 3, not 3.0."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def node_fields(node):
    """The JSON object of a node, fields at their default left out."""
    fields = {"kind": node.kind}
    if node.kind == _DEFAULTS.kind:
        del fields["kind"]
    for name, value in vars(node).items():
        if name != "kind" and value != getattr(_DEFAULTS, name):
            fields["pass" if name == "pass_" else name] = _short(value)
    return fields


def lines_of(trace):
    head = {"echo_trace": VERSION, "world": trace.world}
    for name in ("gpu", "source", "notes"):
        if getattr(trace, name):
            head[name] = getattr(trace, name)
    if trace.groups:
        head["groups"] = [vars(group) for group in trace.groups]
    yield head
    for traced in sorted(trace.ranks, key=lambda traced: traced.rank):
        yield {"rank": traced.rank} | ({} if traced.stands_for in (None, [traced.rank]) else
                                      {"stands_for": sorted(traced.stands_for)})
        for node in traced.nodes:
            yield node_fields(node)


def write(trace, path):
    """To `path`, compressed where it ends in .gz; whole or not at all."""
    beside = f"{path}.{os.getpid()}.part"
    opened = gzip.open if str(path).endswith(".gz") else open
    try:
        with opened(beside, "wt", encoding="utf-8") as out:
            for line in lines_of(trace):
                out.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
        os.replace(beside, path)
    except OSError as error:
        raise TraceError(f"cannot write {path}: {error.strerror}; name a folder that exists and is yours") from None
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def _node_of(fields, places, where):
    unknown = set(fields) - {"id", "pass"} - set(vars(_DEFAULTS)) | ({"pass_"} & set(fields))
    if unknown:
        raise TraceError(f"{where}: unknown field {sorted(unknown)[0]}")
    node = Node(**{("pass_" if name == "pass" else name): value for name, value in fields.items() if name != "id"})
    try:
        node.needs, node.follows = ([places[i] for i in listed] for listed in (node.needs, node.follows))
    except (KeyError, TypeError):
        raise TraceError(f"{where}: needs and follows must name ids of earlier nodes of the rank") from None
    for name, words in (("kind", KINDS), ("pass_", PASSES)):
        if getattr(node, name) not in words:
            raise TraceError(f"{where}: {name.rstrip('_')} must be one of {', '.join(words)}")
    return node


def _head_of(line, where):
    if line.get("echo_trace") != VERSION or not isinstance(line.get("world"), int):
        raise TraceError(f'{where}: a trace begins with {{"echo_trace": {VERSION}, "world": ...}}')
    try:
        groups = [Group(**group) for group in line.get("groups", [])]
    except TypeError:
        raise TraceError(f"{where}: a group has name, role and ranks") from None
    return Trace(world=line["world"], groups=groups, gpu=line.get("gpu", ""), source=line.get("source", ""),
                 notes=line.get("notes", []))


def _objects(path):
    """(place, object) of every line."""
    opened = gzip.open if str(path).endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                where = f"{path}:{number}"
                try:
                    line = json.loads(text)
                except ValueError:
                    raise TraceError(f"{where}: not JSON; every line is one object") from None
                if not isinstance(line, dict):
                    raise TraceError(f"{where}: every line is one JSON object")
                yield where, line
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise TraceError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def read(path):
    trace, places, last = None, {}, -1
    for where, line in _objects(path):
        if trace is None:
            trace = _head_of(line, where)
        elif "rank" in line:
            trace.ranks.append(RankTrace(line["rank"], [], line.get("stands_for")))
            places, last = {}, -1
        elif not trace.ranks:
            raise TraceError(f"{where}: a node before the line that names its rank")
        else:
            nodes, last = trace.ranks[-1].nodes, line.get("id", last + 1)
            nodes.append(_node_of(line, places, where))
            places[last] = len(nodes) - 1
    if trace is None:
        raise TraceError(f"{path}: empty; a trace begins with a line that says its world")
    return trace


def merge(traces, stands_for=None):
    """One trace of several of the same job, a rank or more each. `stands_for`: {rank: ranks}."""
    first = traces[0]
    groups, notes, ranks = {}, [], {}
    for trace in traces:
        if trace.world != first.world:
            raise TraceError(f"traces of worlds of {first.world} and of {trace.world} ranks are no one job")
        for group in trace.groups:
            known = groups.setdefault(group.name, group)
            if known.ranks != group.ranks:
                raise TraceError(f"group {group.name} has other ranks on rank {trace.ranks[0].rank}")
            if known.role == "unknown":
                groups[group.name] = replace(known, role=group.role)
        notes += [note for note in trace.notes if note not in notes]
        for traced in trace.ranks:
            given = (stands_for or {}).get(traced.rank, traced.stands_for)
            ranks[traced.rank] = RankTrace(traced.rank, traced.nodes, given)
    return replace(first, groups=list(groups.values()), notes=notes, ranks=[ranks[rank] for rank in sorted(ranks)])
