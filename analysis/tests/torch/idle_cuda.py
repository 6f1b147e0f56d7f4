"""A CUDA that does nothing, for PyTorch: its real ProcessGroupNCCL, DistributedDataParallel, FSDP without a GPU.

Memory is the host's and starts as zeros, copies are made, kernels and products are not: numbers mean nothing, the calls of
NCCL are those of the program. Compiled for the test from idle_cuda.c and the names that PyTorch's libraries ask for.
"""

import pathlib
import re
import subprocess

driver_by_hand = """
int cuDeviceGetAttribute(int* n, int which, int device) { *n = 0; return 0; }
int cuDriverGetVersion(int* n) { *n = 13000; return 0; }
int cuGetErrorString(int e, const char** text) { *text = "an error"; return 0; }
int cuGetProcAddress_v2(const char* name, void** f, int version, unsigned long flags, int* status) {
  *f = (void*)fine;
  return 0;
}
"""
fine = "__attribute__((used)) static int fine(void) { return 0; }\n"


def _asked_for(library, pattern):
    return set(re.findall(rb"\0(" + pattern + rb"\w+)(?=\0)", pathlib.Path(library).read_bytes()))


def _stubs(names, source):
    defined = set(re.findall(r"\b(cu\w+)\(", source))
    return "".join(f'__asm__(".globl {name}\\n.set {name}, fine");\n' for name in sorted(names - defined))


def build(torch_folder, folder):
    """(preload, library path) of what was compiled into `folder`; None where there is no compiler or no CUDA headers."""
    libraries = [torch_folder / "lib" / name for name in ("libtorch_cuda.so", "libc10_cuda.so", "libtorch_python.so")]
    headers = [path for path in [*torch_folder.parent.glob("nvidia/cu1*/include"), pathlib.Path("/usr/local/cuda/include")]
               if (path / "cuda_runtime_api.h").exists()]
    if not headers or not all(path.exists() for path in libraries):
        return None
    runtime = pathlib.Path(__file__).with_name("idle_cuda.c").read_text()
    names = {kind: {name.decode() for library in libraries for name in _asked_for(library, kind)}
             for kind in (rb"cublas", rb"cu[A-Z]")}
    sources = {"libidle_cudart.so": runtime + _stubs(names[rb"cublas"], runtime),
               "libcuda.so.1": fine + driver_by_hand + _stubs(names[rb"cu[A-Z]"], driver_by_hand)}
    for name, source in sources.items():
        (folder / f"{name}.c").write_text(source)
        command = ["cc", "-w", "-O1", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-isystem", str(headers[0]), "-o",
                   str(folder / name), str(folder / f"{name}.c")]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            return None
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
    return folder / "libidle_cudart.so", folder
