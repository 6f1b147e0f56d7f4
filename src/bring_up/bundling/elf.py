"""Programs and libraries: what they need, which C library, and how they are made to find it wherever they are unpacked."""

import os
import re
import subprocess

# Every Linux has these: the C library, which cannot be mixed.
OF_THE_SYSTEM = ("linux-vdso.", "ld-linux", "libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libutil.so",
                 "libresolv.so", "libnsl.so", "libanl.so",
                 # and of C++, which PyTorch needs, too; an older one of ours would be in the way of the driver's libraries
                 "libstdc++.so", "libgcc_s.so")
# The target has these: too large to bring, and of its driver's version.
OF_NVIDIA = ("libcublas", "libcudnn.", "libcudnn_", "libnccl.", "libcupti.", "libcuda.", "libnvrtc", "libnvidia", "libcudart")


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C")
                          ).stdout.decode()


def libraries_of(path, instead=""):
    """({name: path} of the libraries that a program needs and a bundle brings, [names that were not found]). `instead`: a
    library that takes the place of the one of its name."""
    found, absent = {}, []
    env = dict(os.environ, LD_TRACE_LOADED_OBJECTS="1", LD_PRELOAD=instead)
    listed = subprocess.run([path], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    for line in listed.splitlines():
        words = line.split()
        if not words or os.path.basename(words[0]).startswith(OF_THE_SYSTEM + OF_NVIDIA):
            continue
        if "not found" in line:
            absent.append(words[0])
        elif len(words) > 2 and words[1] == "=>":
            found[words[0]] = os.path.realpath(words[2])
    return found, absent


def make_relocatable(path, rpath):
    """Stripped, and with an RPATH (not a RUNPATH, which libraries of libraries would not see) relative to the file."""
    subprocess.run(["strip", "--strip-unneeded", path], check=True)
    if rpath:
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", rpath, path], check=True)
    else:
        subprocess.run(["patchelf", "--remove-rpath", path], check=True)


def least_glibc(paths):
    """The oldest version of glibc with everything that these files ask of it."""
    versions = [(2, 0)]
    for path in paths:
        versions += [tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", output("readelf", "-V", path))]
    return "%d.%d" % max(versions)


def symbols_wanted(path, prefix):
    """[(symbol, version or "")] of the undefined symbols that begin with `prefix`."""
    wanted = []
    for line in output("nm", "-D", "--undefined-only", path).splitlines():
        name, _, version = line.split()[-1].partition("@")
        if name.startswith(prefix):
            wanted.append((name, version.lstrip("@")))
    return wanted


def package_of(path):
    """Debian's package of a file, or "": for the licences."""
    for known in (path, path.replace("/usr/lib", "/lib", 1)):
        done = subprocess.run(["dpkg-query", "-S", known], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            return done.stdout.decode().partition(":")[0]
    return ""
