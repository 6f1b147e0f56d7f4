"""Records of libecho_nccl.so, and of libecho_inject.so where it ran, into one rank's trace of one step.

The order is the host's: what it asked for when. Work of one stream runs in that order; a stream that waits for an event
comes after what its stream held when the event was recorded. NCCL's calls stand where they were made, those of a group
where it ended; without libecho_inject.so they are all there is.
"""

import bisect
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from . import exsitu_records as er
from .trace_file import Group, Node, RankTrace, Trace, TraceError

# For the payload only bytes count; a type the model has no word for goes by one as wide.
_precisions = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float8e4m3": "fp8", "float8e5m2": "fp8",
               "int8": "fp8", "uint8": "fp8", "int32": "fp32", "uint32": "fp32", "int64": "fp32", "uint64": "fp32",
               "float64": "fp32"}
_roles = {"pipeline": ("pp", "pipe", "pipeline"), "context": ("cp", "context"), "expert": ("ep", "expert", "experts"),
          "tensor": ("tp", "etp", "tensor"), "shard": ("shard", "fsdp", "zero"),
          "data": ("dp", "edp", "ddp", "data", "replicate")}
_passes = ("forward", "backward", "recompute", "optimizer")
_event_wait, _stream_wait, _device_wait = 1, 3, 4  # CUpti_ActivitySynchronizationType
_to_device, _from_device = 1, 2                    # CUpti_ActivityMemcpyKind

COMMUNICATION, GPU_WORK, EVENT, STREAM_WAIT, HOST_WAIT = range(5)


@dataclass
class Issue:
    """Something the host did at `time`: a list of calls (one launch), or one GPU record."""
    time: int
    kind: int
    what: object


def role_of(name):
    """What a group is for, as its name says: "mesh_dp_shard" -> shard, "DATA_PARALLEL_GROUP_WITH_CP" -> data."""
    words = "".join(c.lower() if c.isalpha() else " " for c in name).split()
    words = set(words[: words.index("with")] if "with" in words else words)
    found = {role for role, signs in _roles.items() if words & set(signs)}
    for narrower, wider in (("shard", "data"), ("shard", "context"), ("data", "context"), ("data", "expert"),
                            ("tensor", "expert")):
        if narrower in found:
            found.discard(wider)
    return found.pop() if len(found) == 1 and "and" not in words else "unknown"


def marks_of(records):
    """[(time, text)] in order."""
    calls = records.of(er.CALL)
    return [(int(line["time_ns"]), records.texts.get((er.TEXT_OF_MARK, int(line["serial"]) & 0xFFFFFFFF), ""))
            for line in calls[calls["what"] == er.MARK]]


def communication_of(records, notes):
    """[Issue] of NCCL's calls, a launch each, dropped ones left out."""
    calls = records.of(er.CALL)
    ended = {int(line["launch"]): int(line["time_ns"]) for line in calls[calls["what"] == er.GROUP_END]}
    dropped = {int(line["launch"]) for line in calls[calls["what"] == er.GROUP_DROPPED]}
    ops = calls[np.isin(calls["what"], list(er.OPS))]
    alone, together = [], defaultdict(list)
    for op in ops:
        if op["launch"] == 0:
            alone.append(Issue(int(op["time_ns"]), COMMUNICATION, [op]))
        else:
            together[int(op["launch"])].append(op)
    unfinished = [launch for launch in together if launch not in ended and launch not in dropped]
    if unfinished:
        notes.append(f"{len(unfinished)} NCCL groups never ended and are left out")
    unknown = sorted({text for (what, _), text in records.texts.items() if what == er.TEXT_OF_CALL})
    if unknown:
        notes.append(f"calls without a meaning here were refused: {', '.join(unknown)}")
    return alone + [Issue(ended[launch], COMMUNICATION, ops) for launch, ops in together.items() if launch in ended]


def gpu_work_of(records, notes):
    """[Issue] of kernels, copies, fills, events and waits, at the time the host asked for them."""
    lines = records.of(er.GPU)
    # Libraries' calls nest: of one correlation the first is the program's.
    shift = records.monotonic_ns - records.unix_ns if records.has_unix_times else 0
    calls = lines[lines["what"] == er.LAUNCH_CALL]
    asked = {}
    for correlation, start in zip(calls["correlation"].tolist(), calls["start"].tolist()):
        asked[correlation] = min(start, asked.get(correlation, start))
    ours = set(lines["correlation"][lines["what"] == er.EXTERNAL].tolist())
    kinds = {er.KERNEL: GPU_WORK, er.COPY: GPU_WORK, er.FILL: GPU_WORK, er.EVENT_RECORDED: EVENT,
             er.STREAM_WAITS: STREAM_WAIT, er.HOST_WAITS: HOST_WAIT}
    issues, unasked = [], 0
    for line in lines[np.isin(lines["what"], list(kinds))]:
        correlation, start = int(line["correlation"]), int(line["start"])
        if correlation in ours:
            continue
        time = start if line["what"] == er.HOST_WAITS else asked.get(correlation, start)
        if time == 0:
            unasked += 1
            continue
        issues.append(Issue(time + shift, kinds[int(line["what"])], line))
    lost = int(lines["start"][lines["what"] == er.LOST].sum()) + records.dropped
    if lost:
        notes.append(f"{lost} GPU records were lost; give more room (ECHO_GPU_BUFFERS, ECHO_TRACE_LIMIT)")
    if unasked:
        notes.append(f"{unasked} events and waits have no time and are left out")
    return issues


def step_bounds(marks, step):
    """(from, to) in time: between two marks "step"; `step` -1 takes one in the middle. All where there is no pair."""
    ends = [time for time, text in marks if text == "step"]
    whole = len(ends) - 1
    if whole < 1:
        if step >= 0:
            raise TraceError(f"step {step} is not in the records: they hold {len(ends)} ends of steps; run two more than that")
        return -1, 1 << 63
    if step >= whole:
        raise TraceError(f"step {step} is not in the records: they hold whole steps 0 to {whole - 1}")
    step = whole // 2 if step < 0 else step
    return ends[step], ends[step + 1]


class _Builder:
    """Nodes of one rank, one issue after the other."""

    def __init__(self, comms, names, rank, world, notes):
        self.comms, self.names, self.rank, self.world, self.notes = comms, names, rank, world, notes
        self.nodes, self.groups = [], {}
        self.streams, self.last, self.events, self.awaited = {}, {}, {}, defaultdict(list)
        self.time, self.launches, self.alone = None, 0, 0

    def stream(self, key):
        return self.streams.setdefault(key, len(self.streams))

    def add(self, node, time, stream_key=None):
        """One node, after what its stream has been told to wait for."""
        node.gap_ns = 0 if self.time is None else max(0, time - self.time)
        self.time = time
        if stream_key is not None:
            node.stream = self.stream(stream_key)
            node.follows = sorted(set(self.awaited.pop(stream_key, [])) - {self.last.get(stream_key)})
            self.last[stream_key] = len(self.nodes)
        self.nodes.append(node)

    def take(self, issue):
        (self.communicate, self.work, self.record_event, self.wait_on_stream, self.wait_on_host)[issue.kind](issue)

    def record_event(self, issue):
        self.events[int(issue.what["event"])] = self.last.get(("id", int(issue.what["stream_id"])))

    def wait_on_stream(self, issue):
        node = self.events.get(int(issue.what["event"]))
        if node is not None:
            self.awaited["id", int(issue.what["stream_id"])].append(node)

    def wait_on_host(self, issue):
        line = issue.what
        if line["kind"] == _event_wait:
            needs = [self.events.get(int(line["event"]))]
        elif line["kind"] == _stream_wait:
            needs = [self.last.get(("id", int(line["stream_id"])))]
        elif line["kind"] == _device_wait:
            needs = list(self.last.values())
        else:
            return
        needs = sorted({node for node in needs if node is not None})
        if needs:
            self.add(Node(kind="wait", name="synchronize", stream=-1, needs=needs), issue.time)
            self.time += max(0, int(line["end"]) - int(line["start"]))

    def work(self, issue):
        line = issue.what
        amount = int(line["amount"])
        node = Node(duration_ns=max(0, int(line["end"]) - int(line["start"])))
        if line["what"] == er.KERNEL:
            node.name = self.names.get((er.TEXT_OF_NAME, int(line["name"])), "")
        elif line["what"] == er.COPY and line["kind"] in (_to_device, _from_device):
            node.kind, node.collective, node.bytes, node.name = "collective", "host_copy", amount, "copy"
        else:
            is_copy = line["what"] == er.COPY
            node.name, node.bytes = ("copy", 2 * amount) if is_copy else ("fill", amount)
        self.add(node, issue.time, ("id", int(line["stream_id"])))

    def group(self, comm):
        """The group of a communicator in the trace. Several communicators over the same ranks of a name are one."""
        ranks = comm.ranks or (list(range(self.world)) if comm.size == self.world else None)
        if ranks is None:
            raise TraceError(f"communicator {comm.id} \"{comm.name}\" of {comm.size} ranks: nobody said which; write them to "
                             "ECHO_NCCL_GROUPS, as echo_sweep.tracer.exsitu does for PyTorch")
        name = comm.name or f"comm{comm.id}"
        while name in self.groups and self.groups[name].ranks != ranks:
            name += "'"
        if comm.is_assumed and name not in self.groups:
            self.notes.append(f"members of {name} are assumed")
        return self.groups.setdefault(name, Group(name, role_of(name), list(ranks)))

    def communicate(self, issue):
        nodes = []
        for op in issue.what:
            comm = self.comms.get(int(op["comm"]))
            if comm is None:
                raise TraceError(f"an op of communicator {int(op['comm'])}, of whose making there is no record")
            has_peer = er.OPS[int(op["what"])] in ("broadcast", "reduce", "gather", "scatter", "send", "recv", "put_signal")
            if op["type"] >= len(er.TYPES) or not (0 if has_peer else -1) <= op["peer"] < comm.size or op["count"] >= 1 << 56:
                raise TraceError(f"record {int(op['serial'])} of NCCL's calls is no call that NCCL takes; the file is damaged")
            if comm.size == 1:
                self.alone += 1  # NCCL sends nothing
                continue
            key = ("id", int(op["stream_id"])) if op["stream_id"] != er.NO_STREAM_ID else ("handle", int(op["stream"]))
            nodes += [(node, key) for node in self.nodes_of(op, comm)]
        exchange = self.exchange_of(issue.what)
        if exchange is not None and nodes:
            nodes = [(exchange, nodes[0][1])]
        else:
            nodes = [(node, key) for node, key in nodes if node.peer != self.rank or node.kind == "collective"]
        if len(nodes) > 1:
            for node, _ in nodes:
                node.launch = self.launches
            self.launches += 1
        for node, key in nodes:
            self.add(node, issue.time, key)

    def nodes_of(self, op, comm):
        what, (type_name, width) = er.OPS[int(op["what"])], er.TYPES[int(op["type"])]
        if what in ("signal", "wait_signal"):
            return []
        group, payload = self.group(comm), int(op["count"]) * width
        shared = {"group": group.name, "precision": _precisions[type_name], "name": f"nccl {what}"}
        peer = group.ranks[int(op["peer"])] if op["peer"] >= 0 else -1
        if what in ("send", "put_signal"):
            return [Node(kind="send", peer=peer, bytes=payload, **shared)]
        if what == "recv":
            return [Node(kind="recv", peer=peer, bytes=payload, **shared)]
        if what in ("gather", "scatter"):  # NCCL makes them of sends and receives
            into_root = what == "gather"
            if comm.rank != op["peer"]:
                return [Node(kind="send" if into_root else "recv", peer=peer, bytes=payload, **shared)]
            return [Node(kind="recv" if into_root else "send", peer=other, bytes=payload, **shared)
                    for other in group.ranks if other != peer]
        if what in ("all_gather", "reduce_scatter", "all_to_all"):
            payload *= comm.size
        return [Node(kind="collective", collective=what, peer=peer, bytes=payload, **shared)]

    def exchange_of(self, ops):
        """An all-to-all that was spelled out: to and from every rank of one communicator, ourselves among them."""
        sends = [op for op in ops if er.OPS[int(op["what"])] == "send"]
        receives = [op for op in ops if er.OPS[int(op["what"])] == "recv"]
        if len(sends) + len(receives) != len(ops) or len({int(op["comm"]) for op in ops}) != 1:
            return None
        comm = self.comms[int(ops[0]["comm"])]
        everybody = list(range(comm.size))
        if comm.size < 2 or any(sorted(int(op["peer"]) for op in half) != everybody for half in (sends, receives)):
            return None
        type_name, _ = er.TYPES[int(sends[0]["type"])]
        payload = sum(int(op["count"]) * er.TYPES[int(op["type"])][1] for op in sends)
        return Node(kind="collective", collective="all_to_all", bytes=payload, precision=_precisions[type_name],
                    group=self.group(comm).name, name="nccl send, recv")


def _passes_over(marks, nvtx):
    """A function from time to pass: what marks "pass X" and NVTX ranges called X say, the later of them."""
    changes = sorted([(time, text[5:]) for time, text in marks if text.startswith("pass ") and text[5:] in _passes] + nvtx)
    times = [time for time, _ in changes]

    def pass_at(time):
        at = bisect.bisect_right(times, time)
        return changes[at - 1][1] if at else "unknown"

    return pass_at


def _nvtx_passes(records):
    lines = records.of(er.GPU)
    shift = records.monotonic_ns - records.unix_ns if records.has_unix_times else 0
    changes, open_ranges = [], {}
    for line in lines[np.isin(lines["what"], [er.MARKER_BEGINS, er.MARKER_ENDS])]:
        name = records.texts.get((er.TEXT_OF_NAME, int(line["name"])), "").lower()
        if line["what"] == er.MARKER_BEGINS and name in _passes:
            open_ranges[int(line["correlation"])] = name
            changes.append((int(line["start"]) + shift, name))
        elif line["what"] == er.MARKER_ENDS and open_ranges.pop(int(line["correlation"]), None):
            changes.append((int(line["start"]) + shift, "unknown"))
    return changes


def trace_of(nccl, gpu=None, step=-1, rank=None, world=None):
    """trace_file.Trace of er.Records. `rank`, `world`: where the records do not say."""
    rank = nccl.rank if rank is None else rank
    world = nccl.world if world is None else world
    comms = nccl.comms()
    if rank < 0 or world < 1:
        first = next(iter(comms.values()), None)
        if first is None or not first.is_assumed:
            raise TraceError(f"{nccl.path}: neither rank nor world are known; set RANK and WORLD_SIZE when tracing")
        rank, world = first.rank, first.size  # the first communicator of a program is its world
    notes, marks = [], marks_of(nccl)
    issues = communication_of(nccl, notes) + (gpu_work_of(gpu, notes) if gpu is not None else [])
    issues.sort(key=lambda issue: issue.time)
    start, end = step_bounds(marks, step)
    builder = _Builder(comms, gpu.texts if gpu is not None else {}, rank, world, notes)
    pass_at = _passes_over(marks, _nvtx_passes(gpu) if gpu is not None else [])
    for issue in issues:
        if start < issue.time <= end:
            before = len(builder.nodes)
            builder.take(issue)
            for node in builder.nodes[before:]:
                node.pass_ = pass_at(issue.time)
    if nccl.dropped:
        notes.append(f"{nccl.dropped} NCCL records found no room (ECHO_TRACE_LIMIT)")
    if builder.alone:
        notes.append(f"{builder.alone} ops of communicators of one rank are left out")
    gpu_name = next((text[4:] for _, text in marks if text.startswith("gpu ")), "")
    version = nccl.library
    source = f"ex situ, rank {rank} of {world}" + (f", NCCL {version}" if version else "")
    return Trace(world=world, groups=list(builder.groups.values()), ranks=[RankTrace(rank, builder.nodes)],
                 gpu=gpu_name if gpu is not None else "", source=source, notes=notes)
