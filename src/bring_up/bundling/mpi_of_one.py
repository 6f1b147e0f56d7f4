"""Builds mpi_of_one.c as the libmpi that a program was linked to: of one process, for the bundle."""

import os
import re
import subprocess
import tempfile

from . import elf

HERE = os.path.dirname(os.path.abspath(__file__))


def name_needed(program):
    """What the program calls its MPI, or "": libmpi.so.40 is Open MPI's."""
    found = re.search(r"\(NEEDED\).*\[(libmpi[^\]]*)\]", elf.output("readelf", "-d", program))
    return found.group(1) if found else ""


def data_of(program):
    """{symbol: bytes} of Open MPI's objects that the program refers to, as it was linked."""
    sizes = {}
    for line in elf.output("nm", "-D", "-S", program).splitlines():
        words = line.split()
        if words[-1].startswith("ompi_"):
            if len(words) != 4:
                raise SystemExit("make_bundle: %s refers to %s without a size" % (program, words[-1]))
            sizes[words[3]] = int(words[1], 16)
    return sizes


def functions_lacking(program, library):
    """Functions of MPI that the program calls and the library has not."""
    has = {line.split()[-1] for line in elf.output("nm", "-D", "--defined-only", library).splitlines()}
    return [name for name, _ in elf.symbols_wanted(program, "MPI_") if name not in has]


def build(program, folder):
    """Writes the library into `folder` and returns its name."""
    name = name_needed(program)
    if name != "libmpi.so.40":
        raise SystemExit("make_bundle: %s is linked to %s; the bundle is made of a build with Open MPI 4 (libmpi.so.40)" % (
            program, name or "no MPI"))
    out = os.path.join(folder, name)
    flags = elf.output("pkg-config", "--cflags", "ompi-c").split()
    with tempfile.TemporaryDirectory() as scratch:
        data = os.path.join(scratch, "openmpi_data.c")
        with open(data, "w") as file:
            for symbol, size in sorted(data_of(program).items()):
                file.write("char %s[%d] __attribute__((aligned(32)));\n" % (symbol, size))
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", *flags, "-Wl,-soname," + name,
                        os.path.join(HERE, "mpi_of_one.c"), data, "-o", out], check=True)
    lacking = functions_lacking(program, out)
    if lacking:
        raise SystemExit("make_bundle: mpi_of_one.c lacks %s, which echo-sweep calls" % ", ".join(lacking))
    return name
