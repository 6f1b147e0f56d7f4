"""A search for the best on 1, 2 and 4 workers, stopped and resumed: the same rows and the same proof; an altered proof is refused.

usage: search_test.py PROGRAM SOURCE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(source / "tests/support"))
from block_sums import append_sums  # noqa: E402

SWEEP = """
schema = 1
name = "searched"
[space]
model = "gpt3-175b"
cluster = "h800-96"
gpus = 96
tp = [1, 2, 4, 8]
pp = [1, 2, 4, 8, 12]
vpp = [1, 2]
micro_batch = [1, 2, 4]
recompute = ["none", "selective", "full"]
zero = [0, 1]
global_batch = 96
sequence_parallel = [true, false]
overlap_grad_reduce = [true, false]
kernels = ["fused", "eager"]
[derive]
dp = "gpus / (tp * pp)"
microbatches = "global_batch / (dp * micro_batch)"
[[keep]]
name = "whole-stages"
expr = "model.layers % (pp * vpp) == 0"
[search]
strategy = "best"
top = 5
"""


def run(*arguments, workers=1, expect=0):
    launcher = ["mpirun", "-n", str(workers)] if workers > 1 else []
    done = subprocess.run([*launcher, program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == expect, (arguments, workers, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def content(path):
    with h5py.File(path) as file:
        found = {"digest": file.attrs["rows_digest"]}
        file["search"].visititems(lambda name, item: found.update({name: item[()].tolist()})
                                  if isinstance(item, h5py.Dataset) else None)
        return found


def altered(path, change):
    copy = path.with_name("altered.h5")
    copy.write_bytes(path.read_bytes())
    with h5py.File(copy, "r+") as file:
        change(file["search/sets"])
    append_sums(copy)
    return copy


def main(folder):
    sweep = folder / "searched.toml"
    sweep.write_text(SWEEP)
    first = folder / "one.h5"
    text = run(sweep, "-o", first)
    assert "proof by search" in text, text
    proven = content(first)
    for workers in (2, 4):
        file = folder / f"{workers}.h5"
        run(sweep, "-o", file, workers=workers)
        assert content(file) == proven, f"{workers} workers"
    resumed = folder / "resumed.h5"
    stops = 0
    for attempt, workers in enumerate((2, 1, 4) * 40):  # the first has no time to end, and later ones have more
        launcher = ["mpirun", "-n", str(workers)] if workers > 1 else []
        budget = f"{0.001 * (1 + attempt):.3f}s"
        code = subprocess.run([*launcher, program, sweep, "-o", resumed, "--time-budget", budget, "-q"],
                              capture_output=True).returncode
        assert code in (0, 75), code
        stops += code == 75
        if code == 0:
            break
    assert stops > 0 and content(resumed) == proven, stops
    assert not resumed.with_name("resumed.h5.search").exists()
    assert "already" in run(sweep, "-o", first) or content(first) == proven
    assert json.loads(run("prove", first, "--json"))["sound"]

    def alter_bound(sets):
        row = int((sets["fate"][:] == 4).nonzero()[0][0])
        sets["least"][row] *= 1.0000001

    def alter_count(sets):
        sets["members"][0] += 1

    def leave_out(sets):
        last = sets["end"][0]
        sets["end"][0] = sets["begin"][0]
        assert last > sets["begin"][0]

    for change in (alter_bound, alter_count, leave_out):
        copy = altered(first, change)
        assert "does not hold" in run("prove", copy, expect=5), change.__name__
    run(sweep, "-o", folder / "gap.h5", "--gap", "5%")
    assert json.loads(run("prove", folder / "gap.h5", "--json"))["gap"] <= 0.05
    for wrong in (["--shard", "1/2"], ["--extend"], ["--gap", "much"]):
        run(sweep, "-o", folder / "wrong.h5", *wrong, expect=2)


if __name__ == "__main__":
    os.environ.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
    with tempfile.TemporaryDirectory() as name:
        main(pathlib.Path(name))
