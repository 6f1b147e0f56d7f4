"""What every step of a stage can ask: options, the machine, where to write, how much time is left."""

import os
import time

from . import nvidia_libraries
from .child import Limits
from .record import StageRecord
from .step import NotRun

ASSUMED_GPU = "h100-sxm"  # of a dry run without a GPU: any preset would do
# Libraries whose absence costs some kernels; a plan needs none of them.
STOOD_IN = ("libcudnn.", "libnccl.")
STOOD_IN_PLAN = ("libcudnn.", "libnccl.", "libcublasLt.", "libcupti.")


class Context:
    """`out`: the folder of results; `began`: when the stage did (time.monotonic), from which its limits count."""

    def __init__(self, options, bundle, machine, began):
        limits = Limits(options.limit)
        self.options, self.bundle, self.machine = options, bundle, machine
        self.deadline, self.grace = began + limits.deadline, limits.grace
        self.out, self.is_dry_run = os.path.abspath(options.out), options.dry_run
        self.name = self.folder = ""
        self._records = {}

    # --- time and places
    def seconds_left(self):
        return self.deadline - time.monotonic()

    def budget(self, share=1.0, most=600.0):
        """Whole seconds for a program that keeps to a budget by itself: less than what ends it from outside."""
        return max(1, int(min(most, share * (self.seconds_left() - 2 * self.grace))))

    def within(self, budget):
        """How long a program with this budget may take from outside: it starts, and writes its file, beyond it."""
        return budget + 60.0

    def begin(self, stage):
        self.name, self.folder = stage, self.folder_of(stage)
        os.makedirs(self.folder, exist_ok=True)

    def folder_of(self, stage):
        return os.path.join(self.out, stage)

    def path(self, name, stage=None):
        return os.path.join(self.folder_of(stage or self.name), name)

    def record(self, stage):
        if stage not in self._records:
            os.makedirs(self.folder_of(stage), exist_ok=True)
            self._records[stage] = StageRecord(self.path("steps.json", stage), self.is_dry_run)
        return self._records[stage]

    def write(self, name, text):
        """A file in the stage's folder; returns its path."""
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    # --- the machine
    @property
    def device(self):
        """Where PyTorch's step runs: a dry run's on the CPU, always."""
        return "cpu" if self.is_dry_run else "cuda"

    def need_gpu(self):
        if not self.is_dry_run and not self.machine["gpus"]:
            raise NotRun("no GPU: " + self.machine["why"],
                         "install NVIDIA's driver (580 or newer for CUDA 13); in a container start it with --gpus all")

    def need_torch(self):
        facts = self.machine["torch"]
        if "version" not in facts:
            raise NotRun("no Python with PyTorch: " + facts["why"], "name one that has it: --python /path/to/python3")
        if not self.is_dry_run and not facts["sees_gpu"]:
            raise NotRun("PyTorch %s at %s sees no GPU" % (facts["version"], facts["python"]),
                         "install a CUDA build of PyTorch that suits the driver; look at CUDA_VISIBLE_DEVICES")
        return facts["python"]

    def gpu_name(self):
        return self.machine["gpus"][0]["name"] if self.machine["gpus"] else ""

    def preset(self):
        """The catalog's name of this GPU kind; raises NotRun where it has none."""
        if self.options.gpu:
            return self.options.gpu
        if not self.machine["gpus"] and self.is_dry_run:
            return ASSUMED_GPU
        self.need_gpu()
        preset = self.bundle.preset_of(self.gpu_name())
        if preset is None:
            raise NotRun('the catalog does not know "%s": nothing is predicted for it' % self.gpu_name(),
                         "measurements are kept under the driver's name; write a preset (echo-sweep presets new gpu NAME) "
                         "and predict on any machine, or name the nearest kind: --gpu PRESET")
        return preset

    def gpu_words(self):
        """For echo-profile, which knows the catalog's names, and otherwise makes one of the driver's."""
        return ["--gpu", self.options.gpu or ASSUMED_GPU] if self.options.gpu or not self.machine["gpus"] else []

    def cluster(self):
        cluster = self.bundle.cluster_of(self.preset())
        if cluster is None:
            raise NotRun('the catalog has no cluster "generic-%s"' % self.preset(),
                         "echo-sweep presets list gpu names the kinds it has; choose one with --gpu")
        return cluster

    # --- commands
    def program(self, name):
        if not self.bundle.has(name):
            raise NotRun("%s is not in %s" % (name, self.bundle.programs),
                         "build the bundle where CUDA 13's nvcc, CUPTI and cuBLASLt are found, or name a folder: --programs")
        return self.bundle.program(name)

    def libraries_of(self, path):
        """Where the loader finds what a program or library of ours needs; raises NotRun where something is missing."""
        stand_ins = nvidia_libraries.StandIns(self.bundle.stand_ins, STOOD_IN_PLAN if self.is_dry_run else STOOD_IN,
                                              os.path.join(self.out, "stand-ins", os.path.basename(path)))
        found = nvidia_libraries.find(path, self.machine["torch"].get("folder", ""), self.options.libraries, stand_ins)
        if found.absent or found.troubles:
            said = "; ".join(["%s is on none of %d folders" % (", ".join(found.absent), len(found.looked))] * bool(found.absent)
                             + found.troubles)
            raise NotRun("%s: %s" % (os.path.basename(path), said), library_fix(found, self.machine["torch"]))
        return found

    def measuring(self, name, *words):
        """Words and environment of one of our programs that measure; in a dry run, of its plan."""
        path = self.program(name)
        self.need_gpu()
        env = self.libraries_of(path).environment(dict(os.environ))
        return [path, *words] + (["--dry-run"] if self.is_dry_run else []), env

    def sweeping(self, *words):
        """Words and environment of echo-sweep, which needs no GPU and does the same in a dry run."""
        return [self.program("echo-sweep"), *words], dict(os.environ)

    def training(self, mode, *words):
        """Words of the PyTorch step."""
        python = self.need_torch()
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "training", "step.py")
        return [python, "-B", "-u", script, mode, *words]


def library_fix(found, torch):
    if found.absent:
        return ("PyTorch's wheels for CUDA 13 (torch 2.9 or newer, +cu13x) bring them; this one is for CUDA %s. Elsewhere: `pip "
                "download nvidia-cublas nvidia-cuda-cupti nvidia-cudnn-cu13 nvidia-nccl-cu13`, unzip the wheels into a folder "
                "here, and pass --libraries FOLDER" % torch.get("cuda", "no version: none was found"))
    return "build the bundle on a system as old as this one, or run it in a container of Ubuntu 22.04, Debian 12 or newer"
