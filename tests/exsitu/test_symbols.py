"""libecho_nccl.so stands in for every function of nccl.h, and for every one that the real library exports under a name
of the header."""

import ctypes
import os
import pathlib
import re
import subprocess

import generate_symbols
import pytest


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[2].partition("@")[0] for line in lines.splitlines() if line.split()[1] in "TtWi"}


@pytest.fixture(scope="module")
def declared():
    return {f.name for f in generate_symbols.functions_of(pathlib.Path(os.environ["NCCL_HEADER"]).read_text())}


def test_all_functions_of_the_header_are_there_by_both_names(declared):
    ours = exported(os.environ["ECHO_NCCL"])
    assert len(declared) >= 35
    assert {name for name in ours if name.startswith(("nccl", "pnccl"))} == declared | {f"p{n}" for n in declared}


def test_the_parser_misses_no_name_of_the_header(declared):
    preprocessed = subprocess.run(["cc", "-E", "-P", os.environ["NCCL_HEADER"]], capture_output=True, text=True)
    if preprocessed.returncode:
        pytest.skip("no C preprocessor that finds CUDA's headers")
    called = set(re.findall(r"\b(nccl[A-Z]\w*)\s*\(", preprocessed.stdout))
    # Newer headers hide this one from systems that they are not told of.
    assert called <= declared and declared - called <= {"ncclResetDebugInit"}


def test_what_the_real_library_has_beyond_is_no_part_of_the_header(declared):
    text = pathlib.Path(os.environ["NCCL_HEADER"]).read_text()
    version = ctypes.c_int()
    ctypes.CDLL(os.environ["NCCL_LIBRARY"]).ncclGetVersion(ctypes.byref(version))
    if f"NCCL_VERSION_CODE {version.value}\n" not in text:
        pytest.skip(f"the library is {version.value}, the header another version's")
    real = {name for name in exported(os.environ["NCCL_LIBRARY"]) if name.startswith("nccl")}
    assert declared <= real
    assert not [name for name in real - declared if name in text]


def test_beside_them_only_our_two_are_exported():
    beside = {name for name in exported(os.environ["ECHO_NCCL"]) if not name.startswith(("nccl", "pnccl"))}
    assert beside == {"echo_nccl_mark", "echo_nccl_set_gpu_side"}


def test_no_other_library_is_brought_along():
    needed = subprocess.run(["readelf", "-d", os.environ["ECHO_NCCL"]], capture_output=True, text=True, check=True).stdout
    libraries = [line.split("[")[1].rstrip("]") for line in needed.splitlines() if "NEEDED" in line]
    assert all(name.startswith(("libc.so", "libm.so", "ld-linux", "libdl", "libpthread")) for name in libraries), libraries


HEADER = """
/* ncclOld(int a); */
#define MACRO(x) \\
  ncclResult_t ncclInMacro(x);
typedef struct { int (*ncclCallback)(int); } s;
ncclResult_t  ncclPlain(int a, const void *b, ncclComm_t* c);
ncclResult_t pncclPlain(int a, const void *b, ncclComm_t* c);
__attribute__ ((deprecated("ncclOld(x) is gone"))) void  ncclNothing(void);
const char*  ncclGetLastError(ncclComm_t comm); // ncclTrailing(int);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color,
    int key, ncclComm_t list[2]);
"""


def test_prototypes_are_told_from_comments_macros_and_members():
    functions = generate_symbols.functions_of(HEADER)
    assert [(f.result, f.name, f.arguments()) for f in functions] == [
        ("ncclResult_t", "ncclPlain", ["a", "b", "c"]), ("void", "ncclNothing", []),
        ("const char*", "ncclGetLastError", ["comm"]), ("ncclResult_t", "ncclCommSplit", ["comm", "color", "key", "list"])]


def test_functions_without_an_answer_say_so():
    text = generate_symbols.source(generate_symbols.functions_of(HEADER), {"comm_split"})
    assert 'return echo::exsitu::answers::no_answer("ncclPlain");' in text
    assert "return echo::exsitu::answers::comm_split(comm, color, key, list);" in text


def test_a_header_of_something_else_is_refused(tmp_path):
    (tmp_path / "x.h").write_text("int main();")
    with pytest.raises(SystemExit, match="declares no NCCL function"):
        generate_symbols.main([str(tmp_path / "x.h"), os.devnull, str(tmp_path / "out.cpp")])
