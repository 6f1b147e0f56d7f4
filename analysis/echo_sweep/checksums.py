"""The checksums behind the data of a result file (hdf5_schemas/README.md says how they lie there). HDF5 libraries ignore
them, and some damage makes those libraries crash: a file is checked before it is opened."""

import os
import struct
import zlib

BLOCK, LINE, MARK = 4096, 47, b"\nechosums 1 "
SIGNATURE = b"\x89HDF\r\n\x1a\n"
PIECE = 256 * BLOCK


class DamagedFile(ValueError):
    """The file is not what was written; the message says where."""


def _damaged(path, what):
    return DamagedFile(f"{path} is damaged: {what}; restore it from a copy, or run its sweep again"
                       " (echo-sweep verify lists what is lost)")


def _sums_of(path, file, size):
    """(bytes of data, checksum of each block), or None for a file of a schema before 1.10, which has none."""
    file.seek(max(0, size - LINE))
    line = file.read(LINE)
    if not (line.startswith(MARK) and line.endswith(b"\n") and line[38:46] == b"%08x" % zlib.crc32(line[:38])):
        file.seek(0)
        start = file.read(len(SIGNATURE) + 1)
        if start.startswith(SIGNATURE) and start[-1:] != b"\0":
            raise _damaged(path, "there are no checksums at its end; it was cut off, or changed by another program")
        return None
    data = int(line[12:28], 16)
    wanted = -(-data // BLOCK) * 4
    if data + wanted + LINE != size:
        raise _damaged(path, f"it has {size} bytes, but was written with {data + wanted + LINE}")
    file.seek(data)
    sums = file.read(wanted)
    if b"%08x" % zlib.crc32(sums) != line[29:37]:
        raise _damaged(path, "its checksums are changed")
    return data, struct.unpack(f"<{wanted // 4}I", sums)


def verify(path, at_most=None):
    """True where every byte agrees with its checksum, False where the file has none (schemas before 1.10); DamagedFile
    where one does not. Data of more than `at_most` bytes are not read: then only the checksums themselves are checked."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        found = _sums_of(path, file, size)
        if found is None:
            return False
        data, sums = found
        if at_most is not None and data > at_most:
            return True
        file.seek(0)
        for first in range(0, data, PIECE):
            piece = memoryview(file.read(min(PIECE, data - first)))
            for block, start in enumerate(range(0, len(piece), BLOCK), first // BLOCK):
                if zlib.crc32(piece[start:start + BLOCK]) != sums[block]:
                    last = min(block * BLOCK + BLOCK, data) - 1
                    raise _damaged(path, f"bytes {block * BLOCK} to {last} do not agree with their checksum")
    return True
