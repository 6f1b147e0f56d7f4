"""Stand-ins of NVIDIA's libraries, with which our programs start where a library is not there: every function of one says so.

Plans (--dry-run) call none of them; where cuDNN or NCCL is missing, kernels that need it fail one by one and the others are
measured. echo_bring_up/context.py says when they are used.
"""

import os
import subprocess
import tempfile

from . import elf

PREFIXES = {"libcublasLt.so.": "cublasLt", "libcudnn.so.": "cudnn", "libnccl.so.": "nccl", "libcupti.so.": "cupti"}
RETURNS_TEXT = ("GetErrorString", "GetStatusString", "GetLastError")
FUNCTION = {
    "text": 'const char *{name}(void) {{ return "{library} is not installed: a stand-in answered"; }}\n',
    "out_text": 'int {name}(int status, const char **text) {{ (void)status; *text = "{library} is not installed: a stand-in '
                'answered"; return 0; }}\n',
    "fill_text": 'void {name}(char *text, unsigned long size) {{ if (size) text[0] = 0; }}\n',
    "version": "unsigned long {name}(void) {{ return 0; }}\n",
    "other": "int {name}(void) {{ return 1; }}\n",
}
KINDS = {"cuptiGetResultString": "out_text", "cudnnGetLastErrorString": "fill_text", "cudnnGetVersion": "version",
         "cublasLtGetVersion": "version"}


def kind_of(name):
    return KINDS.get(name) or ("text" if name.endswith(RETURNS_TEXT) else "other")


def source_of(library, symbols):
    return "".join(FUNCTION[kind_of(name)].format(name=name, library=library) for name in sorted(symbols))


def write(programs, folder):
    """One library for each of NVIDIA's that a program is linked to; returns their names."""
    wanted = {}
    for program in programs:
        for line in elf.output("readelf", "-d", program).splitlines():
            name = line.partition("[")[2].rstrip("]")
            prefix = next((prefix for begin, prefix in PREFIXES.items() if "(NEEDED)" in line and name.startswith(begin)), None)
            if prefix:
                wanted.setdefault(name, {}).update(elf.symbols_wanted(program, prefix))
    os.makedirs(folder, exist_ok=True)
    for name, symbols in sorted(wanted.items()):
        with tempfile.TemporaryDirectory() as scratch:
            code, versions = os.path.join(scratch, "stand_in.c"), os.path.join(scratch, "versions")
            with open(code, "w") as file:
                file.write(source_of(name, symbols))
            words = ["cc", "-shared", "-fPIC", "-O1", "-nostdlib", "-Wl,-soname," + name, code, "-o", os.path.join(folder, name)]
            tags = {version for version in symbols.values() if version}
            if tags:
                with open(versions, "w") as file:
                    for tag in sorted(tags):
                        file.write("%s { global: %s };\n" % (tag, " ".join(s + ";" for s, v in sorted(symbols.items()) if v == tag)))
                words.append("-Wl,--version-script," + versions)
            subprocess.run(words, check=True)
        subprocess.run(["strip", "--strip-unneeded", os.path.join(folder, name)], check=True)
    return sorted(wanted)
