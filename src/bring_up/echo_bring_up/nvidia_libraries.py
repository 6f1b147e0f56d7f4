"""Finds the NVIDIA libraries that our programs are linked to and that no bundle can hold: PyTorch's wheels, CUDA's folders."""

import glob
import os
import shutil
import subprocess


def folders(torch_folder="", chosen=()):
    """Folders to look into, the chosen ones first, then those that PyTorch itself loads from, then the toolkit's."""
    found = []
    for top in chosen:
        found += [top] + sorted(path for path, _, files in os.walk(top) if any(".so" in name for name in files))
    if torch_folder:
        site = os.path.dirname(torch_folder)
        found += sorted(glob.glob(os.path.join(site, "nvidia", "*", "lib"))) + [os.path.join(torch_folder, "lib")]
        found += [os.path.normpath(os.path.join(site, "..", ".."))]  # conda's lib
    for top in [os.environ.get("CUDA_HOME", "")] + ["/usr/local/cuda"] + sorted(glob.glob("/usr/local/cuda-*"), reverse=True):
        if top:
            found += [os.path.join(top, "lib64"), os.path.join(top, "lib"), os.path.join(top, "extras/CUPTI/lib64")]
    found += ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu"]
    return [folder for folder in dict.fromkeys(found) if os.path.isdir(folder)]


def missing_of(program, path):
    """What the loader says of a program that finds libraries in these folders: (names it does not find, other complaints)."""
    env = dict(os.environ, LD_TRACE_LOADED_OBJECTS="1", LD_LIBRARY_PATH=os.pathsep.join(path))
    env.pop("LD_PRELOAD", None)
    try:
        done = subprocess.run([program] if not program.endswith(".so") else [loader(), program], env=env, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], [str(error)]
    lines = done.stdout.decode(errors="replace").splitlines()
    absent = [line.split()[0] for line in lines if line.rstrip().endswith("=> not found")]
    others = [line.strip() for line in lines if "version `" in line or "error while loading" in line]
    return list(dict.fromkeys(absent)), list(dict.fromkeys(others))


def loader():
    """The program that starts programs; it is asked about shared libraries."""
    for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"):
        if os.path.exists(path):
            return path
    return "/lib/ld.so"


class Found:
    """`path`: folders for LD_LIBRARY_PATH; `absent`: names found nowhere; `troubles`: other complaints of the loader;
    `stood_in`: names that a stand-in answers, whose every function says that the library is not there."""

    def __init__(self, path, absent, troubles, looked, stood_in=()):
        self.path, self.absent, self.troubles, self.looked = path, absent, troubles, looked
        self.stood_in = list(stood_in)

    def environment(self, env):
        path = self.path + [folder for folder in env.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
        return dict(env, LD_LIBRARY_PATH=os.pathsep.join(path)) if path else env


class StandIns:
    """Stand-ins in `folder` for names that begin with one of `allowed`; those that are needed are linked into `place`, since
    the folder itself would come before libraries that the system knows."""

    def __init__(self, folder, allowed, place):
        self.folder, self.allowed, self.place = folder, tuple(allowed), place

    def cover(self, names):
        """Whether all of these may be, and can be, stood in for."""
        return bool(names) and all(name.startswith(self.allowed) and os.path.exists(os.path.join(self.folder, name)) for name in names)

    def link(self, names):
        shutil.rmtree(self.place, ignore_errors=True)
        os.makedirs(self.place)
        for name in names:
            os.symlink(os.path.join(self.folder, name), os.path.join(self.place, name))
        return self.place


def find(program, torch_folder="", chosen=(), stand_ins=None):
    """Only folders that hold what the program lacks, and those beside them where libraries load each other by name."""
    looked = folders(torch_folder, chosen)
    inherited = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    path = []
    for _ in range(4):  # a library found may lack others
        absent, troubles = missing_of(program, path + inherited)
        news = [next((folder for folder in looked if os.path.exists(os.path.join(folder, name))), None) for name in absent]
        news = [folder for folder in dict.fromkeys(news) if folder and folder not in path]
        if not news:
            break
        path += news
    if path:  # cuDNN opens its engines and NVRTC by name
        path += [folder for folder in looked if "nvidia" in folder.split(os.sep) and folder not in path]
    stood_in = absent if stand_ins is not None and stand_ins.cover(absent) else []
    if stood_in:
        path.append(stand_ins.link(stood_in))
        absent, troubles = missing_of(program, path + inherited)
    return Found(path, absent, troubles, looked, stood_in)
