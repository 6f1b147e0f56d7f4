"""Tables of the pages, in Markdown, from the program's own numbers. docs/refresh runs it.

usage: python3 docs/tables.py accuracy | publications        published training steps (ECHO_DATA_DIR, echo-calibrate)
       python3 docs/tables.py topology FILE.h5               the best step of each fabric
       python3 docs/tables.py points | rejected | flows      echo-benchmark, beside the program
"""

import csv
import hashlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["ECHO_SWEEP"])
STEPS = pathlib.Path(os.environ.get("ECHO_DATA_DIR") or "../shared/data") / "steps/measured_steps.csv"
CATALOG = pathlib.Path(__file__).resolve().parents[1] / "sweeps/catalog"

# Regions of use: strata of the table of published steps. Each stratum is in one of them.
REGIONS = {
    "dense, H100 (Megatron-Core, NeMo)": ["dense-mcore-hopper"],
    "dense, B200, GB200, GB300 (the same)": ["dense-mcore-blackwell"],
    "MLPerf pre-training": ["mlperf-pretrain"],
    "dense, A100 (Megatron-LM, Megatron-DeepSpeed)": ["korthikanti22", "megatron-sc21", "bloom-chronicles", "zero-bubble",
                                                      "vtrain-multi"],
    "other stacks (FSDP, torchtitan, FlagScale, InternEvo, SimuMax)": ["llm-foundry", "torchtitan", "eager-stacks",
                                                                       "simumax"],
    "mixtures of experts": ["moe-dgxc", "moe-bridge"],
    "fine-tuning, LoRA": ["finetune"],
    "bound by the host (vTrain on single nodes, nanotron)": ["vtrain-single", "nanotron-tp8"],
}


def held_out(*options):
    """{row: its line} of `echo-calibrate held-out`."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "held_out.csv"
        subprocess.run([PROGRAM.with_name("echo-calibrate"), "held-out", *options, "--table", STEPS, "--out", out],
                       check=True, stdout=subprocess.DEVNULL)
        with open(out, newline="") as file:
            return {row["row"]: row for row in csv.DictReader(file)}


def bands():
    """For rows as shipped, for rows of publications left out, and for these without what the publications state: {row:
    whether it is inside its 80 % band}."""
    with tempfile.TemporaryDirectory() as folder:
        seen, unseen = pathlib.Path(folder) / "seen.csv", pathlib.Path(folder) / "unseen.csv"
        subprocess.run([PROGRAM, "validate", STEPS, "--csv", seen], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM.with_name("echo-calibrate"), "errors", "--table", STEPS, "--runs", unseen], check=True,
                       stdout=subprocess.DEVNULL)
        with open(seen, newline="") as file:
            as_shipped = {row["row"]: abs(math.log(float(row["ratio"]))) <= float(row["rel_error_p90"])
                          for row in csv.DictReader(file) if row["ratio"]}
        with open(unseen, newline="") as file:
            rows = list(csv.DictReader(file))
        inside = ({row["row"]: abs(float(row["error"])) <= float(row["band"]) for row in rows if row["settings"] == settings}
                  for settings in ("stated", "assumed"))
        return as_shipped, *inside


def predicted_steps():
    """Scored rows with errors: `seen` as shipped, `unseen` with constants that did not see their publication, `stock`
    besides without what it states about its runs; and whether they are `..._inside` their bands.
    Kept in the current folder for the next table of a refresh, under a name that changes with what they are made of."""
    made_of = [PROGRAM, PROGRAM.with_name("echo-calibrate"), STEPS, *sorted(CATALOG.rglob("*.toml"))]
    digest = hashlib.sha256(repr([(str(path), path.stat().st_mtime_ns) for path in made_of]).encode()).hexdigest()
    kept = pathlib.Path(f"predicted_steps.{digest[:16]}.json")
    if kept.exists():
        return json.loads(kept.read_text())
    rows, stock = held_out(), held_out("--stock")
    inside = dict(zip(KINDS, bands()))
    for name, row in rows.items():
        measured = float(row["measured"])
        row["seen"] = abs(float(row["shipped"]) / measured - 1)
        row["unseen"] = abs(float(row["predicted"]) / measured - 1)
        row["stock"] = abs(float(stock[name]["predicted"]) / measured - 1) if name in stock else None
        for kind, known in inside.items():
            row[kind + "_inside"] = known.get(name)
    kept.write_text(json.dumps(list(rows.values())))
    return list(rows.values())


KINDS = ("seen", "unseen", "stock")
HEADINGS = "runs | as shipped | publication held out | held out and stock |"


def cells_of(rows, banded=KINDS):
    """Their number, median and mean errors, and for the kinds in `banded` the share of rows inside their bands, in percent."""
    cells = [str(len(rows))]
    for kind in KINDS:
        values = [row[kind] for row in rows if row[kind] is not None]
        inside = [row[kind + "_inside"] for row in rows if kind in banded and row[kind + "_inside"] is not None]
        share = f" / {100 * statistics.fmean(inside):.0f}" if inside else ""
        cells.append(f"{100 * statistics.median(values):.1f} / {100 * statistics.fmean(values):.1f}{share} %" if values else "")
    return " | ".join(cells) + " |"


def print_accuracy():
    rows = predicted_steps()
    known = {stratum for strata in REGIONS.values() for stratum in strata}
    assert {row["stratum"] for row in rows} <= known, "a stratum without a region"
    print(f"| region of use | {HEADINGS}\n|---|---|---|---|---|")
    for region, strata in [*REGIONS.items(), ("all", known)]:
        print(f"| {region} | {cells_of([row for row in rows if row['stratum'] in strata], ('seen', 'stock'))}")


def print_publications():
    rows = predicted_steps()
    print(f"| stratum | publication | {HEADINGS}\n|---|---|---|---|---|---|")
    for pair in sorted({(row["stratum"], row["source"]) for row in rows}):
        here = [row for row in rows if (row["stratum"], row["source"]) == pair]
        print(f"| {' | '.join(pair)} | {cells_of(here)}")


def print_topology(path):
    import echo_sweep

    rows = echo_sweep.open(path).feasible.where("gpus == 1024 and global_batch == 512")
    assert len(rows), "no row of 1 024 GPUs and 4 Mi tokens"
    table = rows.frame(["cluster", "placement", "tp", "cp", "pp", "zero", "step_time"])
    print("| cluster | packed | layout | scattered | layout |")
    print("|---|---|---|---|---|")
    for cluster in dict.fromkeys(table["cluster"]):
        cells = [f"`{cluster}`"]
        for placement in ("packed", "scattered"):
            here = table[(table["cluster"] == cluster) & (table["placement"] == placement)]
            best = here.loc[here["step_time"].idxmin()]
            layout = f"tp {best['tp']}, cp {best['cp']}, pp {best['pp']}" + (", ZeRO-3" if best["zero"] == "parameters" else "")
            cells += [f"{best['step_time']:.2f} s", layout]
        print("| " + " | ".join(cells) + " |")


def benchmark(pattern):
    """{name: result} of echo-benchmark."""
    ran = subprocess.run([PROGRAM.with_name("echo-benchmark"), f"--benchmark_filter={pattern}", "--benchmark_format=json"],
                         check=True, capture_output=True, text=True)
    return {result["name"]: result for result in json.loads(ran.stdout)["benchmarks"]}


def print_points():
    results = benchmark("^composed_points")
    print("| sweep | composed points per second, workspace reused | workspace new for every point |")
    print("|---|---|---|")
    for name in [name.removesuffix("_warm") for name in results if name.endswith("_warm")]:
        rates = [f"{results[name + state]['points_per_second']:,.0f}".replace(",", " ") for state in ("_warm", "_cold")]
        print(f"| {name.removeprefix('composed_points/').replace('_', '-')} | {' | '.join(rates)} |")


def print_rejected():
    names = {"numbered_points": "numbering, at the start of a launch", "rejected_points/unsupported": "breaks a rule",
             "rejected_points/memory": "lacks memory"}
    results = benchmark("^(numbered_points|rejected_points/.*)$")
    print("| a point of gpt3-1024 | CPU time |")
    print("|---|---|")
    for name, words in names.items():
        print(f"| {words} | {1e6 / results[name]['points_per_second']:.2f} us |")


def print_flows():
    print("| flows | CPU time |")
    print("|---|---|")
    for name, result in benchmark("^simulate(/.*/1024|_permutation/4096)$").items():
        what, _, gpus = name.removeprefix("simulate").lstrip("/_").partition("/")
        print(f"| {what.replace('_', ' ')}, {gpus} GPUs | {result['cpu_time']:.3g} {result['time_unit']} |")


if __name__ == "__main__":
    what, *words = sys.argv[1:] or ["--help"]
    tables = {"accuracy": print_accuracy, "publications": print_publications, "topology": print_topology,
              "points": print_points, "rejected": print_rejected, "flows": print_flows}
    if what not in tables:
        sys.exit(__doc__)
    tables[what](*words)
