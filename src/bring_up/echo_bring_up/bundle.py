"""Where the kit's own files are: in an unpacked bundle, or in a source tree beside its build folder."""

import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ABOVE = os.path.dirname(HERE)


class Bundle:
    """`programs`: the folder of echo-sweep, echo-profile, echo-overlap; libraries are where its neighbours usually are."""

    def __init__(self, programs=""):
        self.is_packed = os.path.exists(os.path.join(ABOVE, "MANIFEST.json"))
        self.root = ABOVE if self.is_packed else os.path.dirname(os.path.dirname(ABOVE))
        self.programs = os.path.abspath(programs) if programs else \
            os.path.join(self.root, "bin" if self.is_packed else "build/release/bin")
        beside = os.path.dirname(self.programs)
        self.exsitu = os.path.join(beside, "lib", "echo-sweep") if self.is_packed else os.path.join(beside, "lib")
        self.python = os.path.join(self.root, "python" if self.is_packed else "analysis")
        self.catalog = os.path.join(beside, "share", "echo-sweep", "catalog")
        self.stand_ins = os.path.join(beside, "lib", "stand-ins")  # of libraries that a target may lack
        self.manifest = _json(os.path.join(ABOVE, "MANIFEST.json")) if self.is_packed else {}

    def program(self, name):
        return os.path.join(self.programs, name)

    def has(self, name):
        return os.access(self.program(name), os.X_OK)

    def library(self, name):
        return os.path.join(self.exsitu, "lib%s.so" % name)

    def version(self):
        return "%s, commit %s" % (self.manifest.get("version", "unknown"), self.manifest.get("commit", "unknown")) \
            if self.is_packed else "a source tree"

    def preset_of(self, device):
        """The catalog's preset of a GPU that the driver calls `device`; None where it has none."""
        try:
            with open(os.path.join(self.catalog, "aliases.toml")) as file:
                named = dict(re.findall(r'^"(NVIDIA [^"]+)"\s*=\s*"([^"]+)"', file.read(), re.MULTILINE))
        except OSError:
            return None
        return named.get(device)

    def cluster_of(self, preset):
        """The preset of a cluster of such GPUs; None where the catalog has none."""
        name = "generic-" + preset
        return name if os.path.exists(os.path.join(self.catalog, "clusters", name + ".toml")) else None


def slug(device):
    """What echo-profile calls a GPU that the catalog does not know (src/profilers/gpu_name.cpp)."""
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-") or "unknown"


def _json(path):
    with open(path) as file:
        return json.load(file)
