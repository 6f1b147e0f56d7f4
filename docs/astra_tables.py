#!/usr/bin/env python3
"""Beside ASTRA-sim: the cycles that it prints for its micro-benchmarks, and the times of the same machines here.

`astra_sim.csv` holds one run a row: ASTRA-sim 518bd51 with chakra f37c2bb (branch feederv3) and astra-network-analytical
599a047, its analytical back ends, examples/workload/microbenchmarks at their 1 MB and one GPU for each of 4, 8 or 16
files; topology, npus_count, bandwidth and latency as network.yml has them; the algorithms of the collective,
preferred-dataset-splits, active-chunks-per-dimension, endpoint-delay, local-mem-bw and collective-optimization as the
system file has them. Each row's two files are written, read by `echo-sweep presets new clusters`, and priced by
`echo-sweep collective`.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
kinds = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
megabyte = 1 << 20


def told(*words):
    return subprocess.run([os.environ.get("ECHO_SWEEP", "echo-sweep"), *words], check=True, capture_output=True, text=True).stdout


def write_files(row, folder):
    dimensions = row["topology"].split()
    listed = {key: "[ " + ", ".join(row[key].split()) + " ]" for key in ("topology", "npus", "bandwidth", "latency")}
    (folder / "network.yml").write_text(
        f"topology: {listed['topology']}\nnpus_count: {listed['npus']}\n"
        f"bandwidth: {listed['bandwidth']}\nlatency: {listed['latency']}\n")
    system = {"scheduling-policy": "LIFO", "endpoint-delay": int(row["endpoint"]),
              "active-chunks-per-dimension": int(row["active"]), "preferred-dataset-splits": int(row["chunks"]),
              "collective-optimization": row["optimization"], "local-mem-bw": float(row["memory"])}
    for kind in kinds:
        is_asked = kind == row["collective"].replace("_", "-")
        system[f"{kind}-implementation"] = row["algorithm"].split() if is_asked else ["ring"] * len(dimensions)
    (folder / "system.json").write_text(json.dumps(system))


def priced(rows):
    """Nanoseconds of every row; machines that are asked the same are priced in one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "clusters").mkdir()
        asked = {}
        for number, row in enumerate(rows):
            write_files(row, folder)
            text = told("presets", "new", "clusters", f"m{number}", "--from", str(folder / "network.yml"),
                        str(folder / "system.json"), "--congestion", row["backend"])
            (folder / "clusters" / f"m{number}.toml").write_text(text)
            ranks = 1
            for size in row["npus"].split():
                ranks *= int(size)
            # ASTRA-sim counts an all-gather by what one rank puts in.
            size = megabyte * (ranks if row["collective"] == "all_gather" else 1)
            asked.setdefault((row["collective"], size), []).append(number)
        times = {}
        for (collective, size), numbers in asked.items():
            compared = [word for number in numbers for word in ("--compare", f"m{number}")]
            answer = json.loads(told("collective", collective, *compared, "--preset-path", name, "--bytes", str(size),
                                     "--collectives", "generic", "--json"))
            for number, machine in zip(numbers, answer["machines"]):
                times[number] = machine["rows"][0]["seconds"] * 1e9
    return [times[number] for number in range(len(rows))]


def cases():
    with open(here / "astra_sim.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    groups = {}
    for row, time in zip(rows, priced(rows)):
        key = (f"congestion-{row['backend']}", row["topology"].replace(" ", ", "), row["algorithm"].replace(" ", ", "))
        groups.setdefault(key, []).append((row, 100.0 * abs(time / int(row["cycles"]) - 1.0)))
    print("| back end | dimensions | algorithm | runs | mean error | largest error |")
    print("|---|---|---|---|---|---|")
    for (backend, topology, algorithm), found in groups.items():
        errors = [error for _, error in found]
        print(f"| {backend} | {topology} | {algorithm} | {len(found)} | {sum(errors) / len(errors):.2f} % | {max(errors):.2f} % |")


if __name__ == "__main__":
    if sys.argv[1:] != ["cases"]:
        sys.exit("usage: astra_tables.py cases")
    cases()
