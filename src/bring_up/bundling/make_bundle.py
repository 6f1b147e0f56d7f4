"""Makes echo-bring-up-VERSION.tar.gz of a build:  python3 src/bring_up/bundling/make_bundle.py BUILD_FOLDER -o OUT.tar.gz

Needs patchelf, binutils and a C compiler. No GPU, no driver. Where the build has no CUDA programs, the bundle has none, and
says so at the target.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from bundling import elf, mpi_of_one, stand_ins  # noqa: E402

MOST_BYTES = 60e6
PROGRAMS = ("echo-sweep", "echo-profile", "echo-overlap", "echo-gpu-info")
WRAPPER = """#!/bin/sh
# echo-sweep of the bundle, from wherever it was unpacked.
here=$(CDPATH= cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd)
exec "$here/bin/echo-sweep" "$@"
"""


def cache_value(build, name):
    with open(os.path.join(build, "CMakeCache.txt")) as file:
        found = re.search(r"^%s:[A-Z]+=(.*)$" % re.escape(name), file.read(), re.MULTILINE)
    return found.group(1) if found else ""


def copy_programs(build, root):
    """bin/, lib/echo-sweep/ and, of all they need, lib/bundled/; returns what the bundle has of each."""
    programs = [name for name in PROGRAMS if os.path.exists(os.path.join(build, "bin", name))]
    if "echo-sweep" not in programs:
        raise SystemExit("make_bundle: %s has no bin/echo-sweep; build it first" % build)
    for folder in ("bin", "lib/bundled", "lib/echo-sweep"):
        os.makedirs(os.path.join(root, folder))
    mpi = mpi_of_one.build(os.path.join(build, "bin", "echo-sweep"), os.path.join(root, "lib/bundled"))
    elf.make_relocatable(os.path.join(root, "lib/bundled", mpi), "")
    needed = {}
    for name in programs:  # what the loader finds where MPI needs nothing
        found, absent = elf.libraries_of(os.path.join(build, "bin", name), os.path.join(root, "lib/bundled", mpi))
        if absent:
            raise SystemExit("make_bundle: %s needs %s, which this machine has not" % (name, ", ".join(absent)))
        needed.update((name, path) for name, path in found.items() if name != mpi)
    for name in programs:
        shutil.copy(os.path.join(build, "bin", name), os.path.join(root, "bin", name))
        elf.make_relocatable(os.path.join(root, "bin", name), "$ORIGIN/../lib/bundled")
    for name, path in needed.items():
        shutil.copy(path, os.path.join(root, "lib/bundled", name))
        elf.make_relocatable(os.path.join(root, "lib/bundled", name), "$ORIGIN")
    for name in ("libecho_nccl.so", "libecho_inject.so"):
        if os.path.exists(os.path.join(build, "lib", name)):
            shutil.copy(os.path.join(build, "lib", name), os.path.join(root, "lib/echo-sweep", name))
            elf.make_relocatable(os.path.join(root, "lib/echo-sweep", name), "")
    users = [os.path.join(root, "bin", name) for name in programs] + \
        [os.path.join(root, "lib/echo-sweep", name) for name in os.listdir(os.path.join(root, "lib/echo-sweep"))]
    stand_ins.write(users, os.path.join(root, "lib/stand-ins"))
    return programs, needed


def copy_licences(needed, root):
    """The licences of what is not ours, by package; a list of what comes from which."""
    os.makedirs(os.path.join(root, "licences"))
    lines = []
    for name, path in sorted(needed.items()):
        package = elf.package_of(path)
        lines.append("%-34s %s" % (name, package or path))
        text = "/usr/share/doc/%s/copyright" % package
        if package and os.path.exists(text):
            shutil.copy(text, os.path.join(root, "licences", package))
    with open(os.path.join(root, "licences", "LIBRARIES.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")


def copy_texts(source, root):
    """What needs no building: the kit, the tracer, the catalog, small sweeps."""
    plain = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(os.path.join(source, "src/bring_up/echo_bring_up"), os.path.join(root, "echo_bring_up"), ignore=plain)
    shutil.copytree(os.path.join(source, "analysis/echo_sweep"), os.path.join(root, "python/echo_sweep"), ignore=plain)
    shutil.copytree(os.path.join(source, "sweeps/catalog"), os.path.join(root, "share/echo-sweep/catalog"))
    os.makedirs(os.path.join(root, "sweeps"))
    for name in ("first.toml", "kernels-of-a-model.toml"):
        shutil.copy(os.path.join(source, "sweeps", name), os.path.join(root, "sweeps"))
    for name in ("src/bring_up/echo-bring-up", "src/bring_up/README.md", "LICENSE"):
        shutil.copy(os.path.join(source, name), root)
    with open(os.path.join(root, "echo-sweep"), "w") as file:
        file.write(WRAPPER)
    os.chmod(os.path.join(root, "echo-sweep"), 0o755)


def commit_of(source):
    done = subprocess.run(["git", "-C", source, "rev-parse", "--short=12", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode().strip() or "unknown"


def write_manifest(build, source, root, version):
    """What was packed, of which version, and the digest of every file."""
    files, objects = {}, []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                bytes_of = file.read()
            files[os.path.relpath(path, root)] = hashlib.sha256(bytes_of).hexdigest()
            if bytes_of[:4] == b"\x7fELF":
                objects.append(path)
    cuda = re.search(r"\d+\.\d+", subprocess.run([cache_value(build, "CUDAToolkit_NVCC_EXECUTABLE") or "nvcc", "--version"],
                                                 stdout=subprocess.PIPE).stdout.decode().partition("release")[2]) \
        if os.path.exists(os.path.join(root, "bin/echo-profile")) else None
    manifest = {"version": version, "commit": commit_of(source), "cuda": cuda.group(0) if cuda else "",
                "least_glibc": elf.least_glibc(objects), "files": dict(sorted(files.items()))}
    with open(os.path.join(root, "MANIFEST.json"), "w") as file:
        json.dump(manifest, file, indent=1)
        file.write("\n")
    return manifest


def pack(root, out):
    """The same bytes for the same files: names in order, no times, no owners."""

    def plain(member):
        member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
        return member

    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)
    with open(out + ".part", "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as squeezed, \
            tarfile.open(fileobj=squeezed, mode="w") as tar:
        for path in paths:
            tar.add(path, os.path.relpath(path, os.path.dirname(root)), filter=plain)
    os.replace(out + ".part", out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", help="build folder with bin/echo-sweep")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    for tool in ("patchelf", "strip", "readelf", "ldd", "cc"):
        if shutil.which(tool) is None:
            raise SystemExit("make_bundle: %s is missing; Debian: apt-get install patchelf binutils gcc" % tool)
    source = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
    version = cache_value(options.build, "CMAKE_PROJECT_VERSION")
    with tempfile.TemporaryDirectory() as scratch:
        root = os.path.join(scratch, "echo-bring-up-" + version)
        os.makedirs(root)
        programs, needed = copy_programs(options.build, root)
        copy_licences(needed, root)
        copy_texts(source, root)
        manifest = write_manifest(options.build, source, root, version)
        pack(root, options.output)
    size = os.path.getsize(options.output)
    print("%s: %.1f MB, %d files; %s; %d libraries; glibc %s or newer; %s" % (
        options.output, size / 1e6, len(manifest["files"]), ", ".join(programs), len(needed), manifest["least_glibc"],
        "CUDA " + manifest["cuda"] if manifest["cuda"] else "without the programs that measure a GPU"))
    if size > MOST_BYTES:
        raise SystemExit("make_bundle: larger than %.0f MB" % (MOST_BYTES / 1e6))


if __name__ == "__main__":
    main()
