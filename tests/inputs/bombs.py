"""Writes inputs that are small on disk and large in memory, one of each format, for tests of --max-memory.

usage: bombs.py FOLDER [COUNT]   COUNT: ops in each (default: 100 000)
"""

import gzip
import pathlib
import sqlite3
import sys

KINETO_HEAD = ('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], '
               '"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1}, "traceEvents": [')
KINETO_OPS = ('{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": %d, "dur": 4, '
              '"args": {"External id": %d}},'
              '{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": %d, "dur": 1, '
              '"args": {"External id": %d, "correlation": %d}},'
              '{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": %d, "dur": 3, '
              '"args": {"device": 0, "stream": 7, "External id": %d, "correlation": %d}}')


def pieces(count, one, between=","):
    """The text of `count` ops, in pieces of a size that is quick to write."""
    step = 10_000
    for first in range(0, count, step):
        yield (between if first else "") + between.join(one(i) for i in range(first, min(first + step, count)))


def kineto(path, count):
    with gzip.open(path, "wt", compresslevel=6) as out:
        out.write(KINETO_HEAD)
        for text in pieces(count, lambda i: KINETO_OPS % (5 * i, i, 5 * i + 1, i, i, 5 * i + 2, i, i)):
            out.write(text)
        out.write("]}")


def echo_lines(path, count):
    with gzip.open(path, "wt", compresslevel=6) as out:
        out.write('{"echo_trace": 1, "world": 1}\n{"rank": 0}\n')
        for text in pieces(count, lambda i: '{"name": "a"}\n', ""):
            out.write(text)


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(0x80 | value & 0x7F)
        value >>= 7
    return bytes(out + bytes([value]))


def chakra(path, count):
    """Computing nodes of an id and a type."""
    with open(path, "wb") as out:
        out.write(bytes([7]) + b"\x0a\x05" + b"0.0.4")  # the version
        for first in range(0, count, 10_000):
            nodes = bytearray()
            for i in range(first, min(first + 10_000, count)):
                node = b"\x08" + varint(i) + b"\x18\x04"  # id; type: computes
                nodes += varint(len(node)) + node
            out.write(nodes)


def chakra_attributes(path, count):
    """One node of empty attributes: two bytes in the file, a hundred in memory."""
    node = b"\x08\x01\x18\x04" + b"\x52\x00" * count
    path.write_bytes(bytes([7]) + b"\x0a\x05" + b"0.0.4" + varint(len(node)) + node)


def chakra_json(path, count):
    """One object after the other."""
    with gzip.open(path, "wt", compresslevel=6) as out:
        out.write('{"version": "0.0.4"}')
        for text in pieces(count, lambda i: '{"id": "%d", "type": "COMP_NODE"}' % i, ""):
            out.write(text)


def astra_text(path, count):
    with open(path, "w") as out:
        out.write(f"DATA\n{count}\n")
        for text in pieces(count, lambda i: "a -1 7 NONE 0 6 NONE 0 5 ALLREDUCE 8 10\n", ""):
            out.write(text)


def pytorch_et(path, count):
    node = '{"name": "aten::mm", "id": %d, "parent": 1, "tid": 1, "seq_id": 1, "inputs": [], "outputs": []}'
    with open(path, "w") as out:
        out.write('{"schema": "1.0.1", "pid": 5, "time": "t", "start_ts": 6, "nodes": [{"name": "[pytorch|profiler|execution_graph|thread]", "id": 1, '
                  '"parent": 1, "tid": 1, "inputs": [], "outputs": []},')
        for text in pieces(count, lambda i: node % (i + 2)):
            out.write(text)
        out.write("]}")


def echo_tracer(path, count):
    node = ('{"name": "n%d", "op": "torch.addmm", "input_nodes": [], "output_nodes": [], "input_types": [], '
            '"input_shapes": [], "output_types": [], "output_shapes": []}')
    with gzip.open(path, "wt", compresslevel=6) as out:
        out.write("[")
        for text in pieces(count, lambda i: node % i):
            out.write(text)
        out.write("]")


def nsight(path, count):
    database = sqlite3.connect(path)
    with database:
        database.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
        database.execute("INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000')")
        database.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, "end" INT, globalTid INT, '
                         "correlationId INT, nameId INT)")
        database.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, contextId INT, '
                         "streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT)")
        database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 1, ?, 2)",
                             ((9 * i, 9 * i + 1, i) for i in range(count)))
        database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, 0, 1, 1)",
                             ((9 * i + 2, 9 * i + 5, i) for i in range(count)))
    database.close()


BOMBS = {"kineto.json.gz": kineto, "lines.jsonl.gz": echo_lines, "chakra.0.et": chakra, "attributes.0.et": chakra_attributes,
         "chakra.0.json": chakra_json, "astra.txt": astra_text, "pytorch.json": pytorch_et, "tracer.json.gz": echo_tracer, "nsight.sqlite": nsight}


def main():
    folder = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in BOMBS.items():
        write(folder / name, count)


if __name__ == "__main__":
    main()
