#!/usr/bin/env python3
"""Runs every benchmark, and says what became slower since figures were kept. Never a test: machines are noisy.

usage: tests/benchmark/compare.py [--keep] [--filter REGEX] [--repetitions N] [PROGRAM]

  --keep          write figures.json anew, beside this script, instead of comparing
  --filter REGEX  only these benchmarks (with --keep: the others keep their figures)

PROGRAM is build/release/bin/echo-benchmark unless given. A figure is the least CPU time of a benchmark over its
repetitions, as a multiple of that of `calibration`, a loop that no change of the program touches, in the same run: so
figures of different machines compare, as far as their caches are alike. Printed: what takes 10 % longer than kept, or
less, and what is new or gone. The exit code is 0 whatever became slower.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = HERE / "figures.json"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
WORTH_SAYING = 0.10


def least_times(results):
    """{name: seconds of CPU of the fastest repetition} of a report of Google Benchmark."""
    times = {}
    for result in results:
        if result.get("run_type", "iteration") != "iteration" or result.get("error_occurred"):
            continue
        name = result.get("run_name", result["name"])
        seconds = result["cpu_time"] * UNITS[result["time_unit"]]
        times[name] = min(seconds, times.get(name, seconds))
    return times


def figures_of(results):
    """{name: multiple of the calibration loop}."""
    times = least_times(results)
    unit = times.pop("calibration", None)
    if not unit:
        sys.exit("the benchmark `calibration` is not among the results")
    return {name: float(f"{seconds / unit:.4g}") for name, seconds in sorted(times.items())}


def run(program, pattern, repetitions):
    command = [program, f"--benchmark_filter=^calibration$|{pattern}", f"--benchmark_repetitions={repetitions}",
               "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ran.stdout)["benchmarks"]


def changes(kept, now):
    """Lines that say what changed, the worst first."""
    ratios = sorted(((now[name] / kept[name], name) for name in kept.keys() & now.keys()), reverse=True)
    lines = [f"{100 * (ratio - 1):+7.0f} %  {name}" for ratio, name in ratios if abs(ratio - 1) > WORTH_SAYING]
    lines += [f"      new  {name}" for name in sorted(now.keys() - kept.keys())]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(HERE.parents[1] / "build/release/bin/echo-benchmark"))
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--filter", default=".")
    parser.add_argument("--repetitions", type=int, default=3)
    chosen = parser.parse_args()
    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    now = figures_of(run(chosen.program, chosen.filter, chosen.repetitions))
    if chosen.keep:
        FIGURES.write_text(json.dumps({**(kept if chosen.filter != "." else {}), **now}, indent=1, sort_keys=True) + "\n")
        print(f"kept {len(now)} figures in {FIGURES.name}")
        return
    for line in changes(kept, now):
        print(line)
    gone = sorted(kept.keys() - now.keys()) if chosen.filter == "." else []
    for name in gone:
        print(f"     gone  {name}")
    slower = sum(now[name] > (1 + WORTH_SAYING) * kept[name] for name in kept.keys() & now.keys())
    print(f"{len(now)} benchmarks, {slower} slower by more than {100 * WORTH_SAYING:.0f} % than kept")


if __name__ == "__main__":
    main()
