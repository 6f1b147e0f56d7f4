"""What this machine has: GPU, driver, PyTorch, the C library. Each question is a child's, so that none can hang the others."""

import json
import os
import platform
import shutil
import subprocess
import sys

ASK_DRIVER = """
import ctypes, json
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *words):
    status = getattr(cuda, name)(*words)
    if status: raise SystemExit("%s says CUDA error %d" % (name, status))
version, count = ctypes.c_int(), ctypes.c_int()
call("cuInit", 0)
call("cuDriverGetVersion", ctypes.byref(version))
call("cuDeviceGetCount", ctypes.byref(count))
gpus = []
for number in range(count.value):
    device, name, memory = ctypes.c_int(), ctypes.create_string_buffer(256), ctypes.c_size_t()
    call("cuDeviceGet", ctypes.byref(device), number)
    call("cuDeviceGetName", name, 256, device)
    call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
    gpus.append({"name": name.value.decode(), "memory": memory.value})
print(json.dumps({"gpus": gpus, "cuda": version.value}))
"""
ASK_TORCH = """
import json, os, sys
import torch
facts = {"version": torch.__version__, "cuda": torch.version.cuda, "python": sys.executable, "folder": os.path.dirname(torch.__file__),
         "python_version": ".".join(map(str, sys.version_info[:3])), "sees_gpu": torch.cuda.is_available(), "nccl": ""}
try:
    facts["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
except Exception as error:
    facts["nccl_why"] = str(error)
try:
    import numpy
    facts["numpy"] = numpy.__version__
except ImportError:
    facts["numpy"] = ""
print("FACTS" + json.dumps(facts))
"""


def ask(words, limit):
    """(standard output, "") of a command, or ("", why not)."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=limit)
    except OSError as error:
        return "", str(error)
    except subprocess.TimeoutExpired:
        return "", "no answer within %.0f s: %s" % (limit, words[0])
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        return "", said[-1] if said else "ended with status %d" % done.returncode
    return done.stdout.decode(errors="replace"), ""


def gpus():
    """{"gpus": [{name, memory}], "driver": "580.95", "cuda": 13000, "why": ""}; of what cannot be asked, nothing."""
    found = {"gpus": [], "driver": "", "cuda": 0, "why": ""}
    said, why = ask([sys.executable, "-c", ASK_DRIVER], 60)
    if said:
        found.update(json.loads(said))
    listed, no_tool = ask(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader,nounits"], 60)
    rows = [[cell.strip() for cell in line.split(",")] for line in listed.splitlines()]
    rows = [row for row in rows if len(row) == 3 and row[2].isdigit()]
    if rows:
        found["driver"] = rows[0][1]
        if not found["gpus"] and why:
            found["gpus"] = [{"name": row[0], "memory": int(row[2]) * 2 ** 20} for row in rows]
    if not found["gpus"]:
        found["why"] = "%s; nvidia-smi: %s" % (why or "the driver lists no GPU", no_tool or "lists none")
    return found


def torch(pythons):
    """What the first of these Pythons with PyTorch says of it; else {"why": ...}."""
    tried = []
    for python in pythons:
        said, why = ask([python, "-c", ASK_TORCH], 180)
        if "FACTS" in said:
            return json.loads(said.rpartition("FACTS")[2])
        tried.append("%s: %s" % (python, why or "no answer"))
    return {"why": "; ".join(tried)}


def pythons(chosen):
    """Pythons that may have PyTorch: the chosen one alone, else ours and those on PATH, each once."""
    if chosen:
        return [chosen]
    found = [sys.executable] + [path for path in map(shutil.which, ("python3", "python")) if path]
    return list(dict.fromkeys(found))


def facts(python=""):
    """All of it, as stages read it."""
    found = gpus()
    found.update(torch=torch(pythons(python)), glibc=platform.libc_ver()[1], python=platform.python_version(),
                 kernel=platform.release(), processor=platform.machine(), cores=os.cpu_count())
    return found
