"""What to fix, by what a program printed before it failed. The first pattern that is found speaks."""

import re

PATTERNS = [
    (r"error while loading shared libraries: (\S+?):", "a library that the program is linked to was not found",
     "install it, or name a folder that holds it: --libraries FOLDER (the step `libraries` of the self-test says what is missing)"),
    (r"version `(GLIBC_[0-9.]+)' not found", "this machine's C library is older than the bundle's",
     "build the bundle on a system as old as this one, or run it in a container of Ubuntu 22.04, Debian 12 or newer"),
    (r"(CUDA driver version is insufficient|cudaErrorInsufficientDriver|CUDA error 35)",
     "the driver is older than the CUDA the programs are built with, or there is none",
     "CUDA 13 needs driver 580 or newer (nvidia-smi prints yours); NVIDIA's package cuda-compat-13-0 lends it to older "
     "drivers of data-center GPUs: put its folder first in LD_LIBRARY_PATH"),
    (r"no GPU here", "the driver shows this process no GPU",
     "run nvidia-smi; in a container start it with --gpus all; look at CUDA_VISIBLE_DEVICES"),
    (r"(ERR_NVGPUCTRPERM|INSUFFICIENT_PRIVILEGES)", "the driver keeps hardware counters for administrators",
     "run as root or with --cap-add=SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0; times need no rights"),
    (r"(CUDA out of memory|OutOfMemoryError|cudaErrorMemoryAllocation|out of memory)", "the GPU's memory is too small, or in use",
     "end other programs on this GPU (nvidia-smi lists them), or choose a smaller step: --size 1b-half"),
    (r"(no kernel image is available|cudaErrorNoKernelImageForDevice|named symbol not found)",
     "a program has no machine code for this GPU", "build the bundle for its compute capability (CUDA_ARCHITECTURES in "
     "src/profilers/CMakeLists.txt); PyTorch: install a version that supports this GPU"),
    (r"CUPTI_ERROR_(\w+)", "CUPTI refused",
     "another profiler may hold the GPU (nsys, ncu, DCGM: `dcgmi profile --pause`); MULTIPLE_SUBSCRIBERS: unset "
     "CUDA_INJECTION64_PATH; NOT_COMPATIBLE: its libcupti.so is of another CUDA than the driver supports"),
    (r"CUDNN_STATUS_(\w+)", "cuDNN refused a graph",
     "its version may not support this GPU or shape: see the log; other kernels are not affected"),
    (r"No module named '?torch'?", "this Python has no PyTorch", "name one that has it: --python /path/to/python3"),
    (r"No module named '?(\w+)'?", "this Python lacks a module", "install it, or name another Python with --python"),
    (r"has no attribute '(\w+)'", "this PyTorch lacks something that the step uses", "PyTorch 2.4 or newer is needed; see the log"),
    (r"no call of NCCL was recorded", "the preloaded libecho_nccl.so saw no call",
     "PyTorch's NCCL may be linked statically: replace it as src/exsitu/README.md says"),
    (r"(operation not permitted when stream is capturing|cudaErrorStreamCapture\w+)", "a step does what no CUDA graph can hold",
     "this PyTorch waits for the GPU inside the step; the eager numbers stand by themselves"),
    (r"No space left on device", "the disk is full", "free space, or name another folder of results"),
    (r"Unable to start a daemon|opal_init failed|orte_init failed|MPI_INIT failed|MPI_Init_thread", "Open MPI did not start",
     "use the bundle's echo-sweep, which needs none, or set TMPDIR to a folder that can be written"),
]


def of(ended):
    """(why, what to fix) of a command that ended badly (child.Ended)."""
    if ended.trouble:
        return "it could not be started: " + ended.trouble, "is the bundle whole? unpack it again (MANIFEST.json has digests)"
    text = ended.text()
    for pattern, why, fix in PATTERNS:
        found = re.search(pattern, text)
        if found:
            return "%s: %s" % (why, line_around(text, found.start())), fix
    lines = [line for line in text.splitlines()[1:-1] if line.strip()]
    how = "signal %d" % -ended.status if ended.status < 0 else "status %d" % ended.status
    return "it ended with %s%s" % (how, ": " + lines[-1].strip()[:300] if lines else ""), \
        "read its log; if it does not say, send the log to the authors"


def line_around(text, place):
    begin = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    return text[begin: end if end >= 0 else len(text)].strip()[:300]
