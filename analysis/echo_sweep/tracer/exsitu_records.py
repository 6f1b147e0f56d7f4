"""Files of libecho_nccl.so and libecho_inject.so: records of 64 bytes, laid out as src/exsitu/record.hpp says."""

import os
import re
from dataclasses import dataclass, field

import numpy as np

from .trace_file import TraceError

NONE, TEXT_OF_COMM, TEXT_OF_NAME, TEXT_OF_MARK, TEXT_OF_CALL = 0, 1, 2, 3, 4
COMM_CREATED, COMM_GONE, GROUP_END, GROUP_DROPPED, MARK = 8, 9, 10, 11, 12
OPS = {16: "all_reduce", 17: "all_gather", 18: "reduce_scatter", 19: "broadcast", 20: "reduce", 21: "all_to_all",
       22: "gather", 23: "scatter", 24: "send", 25: "recv", 26: "put_signal", 27: "signal", 28: "wait_signal"}
UNKNOWN_CALL = 29
KERNEL, COPY, FILL, LAUNCH_CALL, STREAM_WAITS, EVENT_RECORDED, HOST_WAITS = 64, 65, 66, 67, 68, 69, 70
MARKER_BEGINS, MARKER_ENDS, OVERHEAD, EXTERNAL, LOST = 71, 72, 73, 74, 75

MEMBERS_ASSUMED, DATA_COPIED = 1, 2
NO_STREAM_ID = 0xFFFFFFFF

# ncclDataType_t: what nccl.h calls it, its bytes
TYPES = [("int8", 1), ("uint8", 1), ("int32", 4), ("uint32", 4), ("int64", 8), ("uint64", 8), ("float16", 2),
         ("float32", 4), ("float64", 8), ("bfloat16", 2), ("float8e4m3", 1), ("float8e5m2", 1)]

_header = np.dtype([("magic", "S8"), ("format", "<u4"), ("record_bytes", "<u4"), ("monotonic_ns", "<i8"),
                    ("unix_ns", "<i8"), ("dropped", "<u8"), ("rank", "<i4"), ("world", "<i4"), ("process", "<i4"),
                    ("library", "<i4"), ("has_unix_times", "<u8")])
CALL = np.dtype([("what", "<u2"), ("type", "u1"), ("flags", "u1"), ("thread", "<u4"), ("time_ns", "<i8"),
                 ("count", "<u8"), ("stream", "<u8"), ("launch", "<i8"), ("comm", "<u4"), ("peer", "<i4"),
                 ("redop", "<i4"), ("stream_id", "<u4"), ("serial", "<u8")])
GPU = np.dtype([("what", "<u2"), ("kind", "u1"), ("flags", "u1"), ("correlation", "<u4"), ("start", "<i8"),
                ("end", "<i8"), ("amount", "<u8"), ("name", "<u4"), ("device", "<u4"), ("stream_id", "<u4"),
                ("event", "<u4"), ("graph", "<u4"), ("threads", "<u4"), ("serial", "<u8")])
_text = np.dtype([("what", "<u2"), ("length", "u1"), ("goes_on", "u1"), ("owner", "<u4"), ("text", "V48"),
                  ("serial", "<u8")])
assert _header.itemsize == CALL.itemsize == GPU.itemsize == _text.itemsize == 64


class RecordError(TraceError):
    """What is wrong with a file, on one line."""


@dataclass
class Comm:
    """A communicator. `ranks`: its members in the world, in order; empty where nobody said."""
    id: int
    size: int
    rank: int
    color: int
    parent: int
    is_assumed: bool
    name: str = ""
    ranks: list = field(default_factory=list)


@dataclass
class Records:
    """One file. `calls` or `gpu` are arrays of what is finished, in order of the file."""
    path: str
    rank: int
    world: int
    process: int
    library: int
    dropped: int
    monotonic_ns: int
    unix_ns: int
    has_unix_times: int
    lines: np.ndarray  # of 64 bytes each
    texts: dict        # {(what, owner): text}

    def of(self, layout):
        return self.lines.view(layout)

    def comms(self):
        """{id: Comm}."""
        calls = self.of(CALL)
        made = {}
        for line in calls[calls["what"] == COMM_CREATED]:
            comm = Comm(int(line["comm"]), int(line["count"]), int(line["peer"]), int(line["redop"]),
                        int(line["launch"]), bool(line["flags"] & MEMBERS_ASSUMED))
            name, _, ranks = self.texts.get((TEXT_OF_COMM, comm.id), "\n").rpartition("\n")
            comm.name, comm.ranks = name, ranks_of(ranks)
            if not 0 <= comm.rank < comm.size or len(comm.ranks) not in (0, comm.size) or min(comm.ranks, default=0) < 0:
                raise RecordError(f"{self.path}: communicator {comm.id} contradicts itself; the file is damaged")
            made[comm.id] = comm
        return made


def ranks_of(text):
    """"0,4-6,8-16/4" -> [0, 4, 5, 6, 8, 12, 16]."""
    ranks = []
    for part in filter(None, text.split(",")):
        found = re.fullmatch(r"(\d{1,8})(?:-(\d{1,8})(?:/([1-9]\d{0,7}))?)?", part)
        run = range(int(found[1]), int(found[2] or found[1]) + 1, int(found[3] or 1)) if found else range(0)
        if not run or len(run) + len(ranks) > 1 << 20:
            raise RecordError(f"{part!r} is no list of ranks; the file is damaged")
        ranks += run
    return ranks


def read(path):
    """Records of a file, which a process may still be writing, or have left in the middle."""
    try:
        if os.path.getsize(path) < 64:
            raise RecordError(f"{path}: not a file of libecho_nccl.so or libecho_inject.so: shorter than its header")
        lines = np.memmap(path, dtype="V64", mode="r", shape=(os.path.getsize(path) // 64,))
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from None
    header = lines[:1].view(_header)[0]
    if header["magic"] != b"echotrc\n" or header["format"] != 1 or header["record_bytes"] != 64:
        raise RecordError(f"{path}: not a file of libecho_nccl.so or libecho_inject.so, or of a later format")
    kinds = lines.view(CALL)
    # A record is finished when its last field says where it stands.
    is_finished = (kinds["what"] != NONE) & (kinds["serial"] == np.arange(len(lines), dtype=np.uint64))
    is_finished[0] = False
    finished = lines[is_finished]
    return Records(str(path), *(int(header[name]) for name in ("rank", "world", "process", "library", "dropped",
                                                               "monotonic_ns", "unix_ns", "has_unix_times")),
                   finished, _texts_of(finished))


def _texts_of(lines):
    texts = {}
    is_text = lines.view(_text)["what"] <= TEXT_OF_CALL
    begun = b""
    for line in lines[is_text].view(_text):
        begun += bytes(line["text"])[: min(int(line["length"]), 48)]
        if not line["goes_on"]:
            texts[int(line["what"]), int(line["owner"])] = begun.decode("utf-8", "replace")
            begun = b""
    return texts
