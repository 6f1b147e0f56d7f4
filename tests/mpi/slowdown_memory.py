"""A large slowdown model lies once on a node: memory of eight workers with one and with a small one.
usage: slowdown_memory.py ECHO_SWEEP WRITE_SLOWDOWN_MODEL SWEEP.toml"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

WORKERS = 8
MEBIBYTE = 2.0**20
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader"}


def workers_of(program, file):
    """Process ids of the workers that run this file."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == program.encode() and str(file).encode() in words:
            found.append(int(folder.name))
    return sorted(found)


def memory_of(pid):
    """Bytes: this worker's share of all it sees, and what it has for itself."""
    sizes = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        key, size, _ = line.split()
        sizes[key] = int(size) * 1024
    return sizes["Pss:"], sizes["Private_Clean:"] + sizes["Private_Dirty:"]


def measure(program, sweep, folder):
    """[(share, own)] of each worker while rows are made."""
    command = ["mpirun", "-n", str(WORKERS), program, str(sweep), "-o", str(folder / (sweep.stem + ".h5")),
               "--progress", "json", "--progress-interval", "0.2s"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                           env={**os.environ, **MPI})
    said = []
    try:
        for line in run.stderr:
            said.append(line)
            if line.startswith("{") and json.loads(line)["ok"] > 0:
                return [memory_of(pid) for pid in workers_of(program, sweep)]
    finally:
        run.terminate()
        run.communicate(timeout=60)
    raise AssertionError("no row was made: " + "".join(said))


def main(program, write_model, sweep):
    program = os.path.realpath(program)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        read, sizes = {}, {}
        for model, trees, depth in (("small", 20, 4), ("large", 800, 12)):
            file = folder / f"{model}.slowdown"
            subprocess.run([write_model, file, str(trees), str(depth)], check=True)
            sizes[model] = 16 * trees * (2 ** (depth + 1) - 1)
            (folder / f"{model}.toml").write_text(
                pathlib.Path(sweep).read_text().replace("[space]", f'[simulate]\nslowdown = "{file.name}"\n\n[space]'))
            read[model] = measure(program, folder / f"{model}.toml", folder)
            assert len(read[model]) == WORKERS, f"{len(read[model])} workers were seen, not {WORKERS}"
    grown = sizes["large"] - sizes["small"]
    share, own = (sum(one[i] for one in read["large"]) - sum(one[i] for one in read["small"]) for i in (0, 1))
    most_own = max(one[1] for one in read["large"])
    print(f"a model of {sizes['large'] / MEBIBYTE:.0f} MiB in place of {sizes['small'] / MEBIBYTE:.2f} MiB: {WORKERS} "
          f"workers together take {share / MEBIBYTE:.0f} MiB more, {own / MEBIBYTE:.0f} MiB of it for themselves; "
          f"a worker has {most_own / MEBIBYTE:.0f} MiB at most for itself")
    # What workers have for themselves also depends on how many rows each has gathered.
    assert 0.9 * grown < share - own < 1.1 * grown, "it does not lie once on the node"
    assert own < 0.3 * grown, "workers keep copies of it"


if __name__ == "__main__":
    main(*sys.argv[1:])
