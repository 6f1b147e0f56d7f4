"""Tables of the pages, in Markdown, from the program's own numbers. docs/refresh runs it.

usage: python3 docs/tables.py accuracy | publications        published training steps (ECHO_DATA_DIR, echo-calibrate)
       python3 docs/tables.py topology FILE.h5               the best step of each fabric
       python3 docs/tables.py points | flows                 echo-benchmark, beside the program
"""

import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["ECHO_SWEEP"])
STEPS = pathlib.Path(os.environ.get("ECHO_DATA_DIR") or "../shared/data") / "steps/measured_steps.csv"

# Regions of use: strata of the table of published steps. Each stratum is in one of them.
REGIONS = {
    "dense models on H100 (Megatron-Core, NeMo)": ["dense-mcore-hopper"],
    "dense models on B200, GB200, GB300 (the same)": ["dense-mcore-blackwell"],
    "MLPerf pre-training": ["mlperf-pretrain"],
    "dense models on A100 (Megatron-LM, Megatron-DeepSpeed)": ["korthikanti22", "megatron-sc21", "bloom-chronicles",
                                                             "zero-bubble", "vtrain-multi"],
    "other stacks (FSDP, torchtitan, FlagScale, InternEvo, SimuMax)": ["llm-foundry", "torchtitan", "eager-stacks",
                                                                       "simumax"],
    "mixtures of experts": ["moe-dgxc", "moe-bridge"],
    "fine-tuning, LoRA": ["finetune"],
    "bound by the host (vTrain on single nodes, nanotron)": ["vtrain-single", "nanotron-tp8"],
}
# Publications that came after the last fit and the last change of a mechanism: nothing has seen them.
NEW = {"megatron-bridge", "mlperf-v5.0", "mlperf-v5.1", "torchao"}


def held_out(rows):
    """Rows as `echo-calibrate held-out` predicts them from a table of these rows alone, by name."""
    with tempfile.TemporaryDirectory() as folder:
        table, out = pathlib.Path(folder) / "steps.csv", pathlib.Path(folder) / "held_out.csv"
        with open(table, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        subprocess.run([PROGRAM.with_name("echo-calibrate"), "held-out", "--table", table, "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
        with open(out, newline="") as file:
            return {row["row"]: row for row in csv.DictReader(file)}


def predicted_steps():
    """Scored rows with errors: `seen` as shipped, `unseen` fitted without their publication on those that the shipped
    constants were fitted on, `unseen_with_new` the same with the new publications among those fitted on. Kept beside,
    for the next table of a refresh."""
    kept = pathlib.Path("predicted_steps.json")
    if kept.exists():
        return json.loads(kept.read_text())
    with open(STEPS, newline="") as file:
        rows = list(csv.DictReader(file))
    among_old, among_all = held_out([row for row in rows if row["source"] not in NEW]), held_out(rows)
    for name, row in among_all.items():
        measured = float(row["measured"])
        row["seen"] = abs(float(row["shipped"]) / measured - 1)
        row["unseen_with_new"] = abs(float(row["predicted"]) / measured - 1)
        row["unseen"] = abs(float(among_old.get(name, {"predicted": row["shipped"]})["predicted"]) / measured - 1)
    kept.write_text(json.dumps(list(among_all.values())))
    return list(among_all.values())


def errors(rows, key):
    """Median and mean, in percent."""
    if not rows:
        return ""
    values = [row[key] for row in rows]
    return f"{100 * statistics.median(values):.1f} / {100 * statistics.fmean(values):.1f} %"


def print_accuracy():
    rows = predicted_steps()
    known = {stratum for strata in REGIONS.values() for stratum in strata}
    assert {row["stratum"] for row in rows} <= known, "a stratum without a region"
    print("| region of use | runs | as shipped | publication held out | new runs | error |")
    print("|---|---|---|---|---|---|")
    for region, strata in [*REGIONS.items(), ("all", known)]:
        here = [row for row in rows if row["stratum"] in strata]
        old = [row for row in here if row["source"] not in NEW]
        new = [row for row in here if row["source"] in NEW]
        print(f"| {region} | {len(old) or ''} | {errors(old, 'seen')} | {errors(old, 'unseen')} | {len(new) or ''} "
              f"| {errors(new, 'seen')} |")


def print_publications():
    rows = predicted_steps()
    print("| stratum | publication | runs | as shipped | held out | held out, new ones fitted on too |")
    print("|---|---|---|---|---|---|")
    for stratum, source in sorted({(row["stratum"], row["source"]) for row in rows}):
        here = [row for row in rows if (row["stratum"], row["source"]) == (stratum, source)]
        cells = [errors(here, "seen"), errors(here, "unseen"), errors(here, "unseen_with_new")]
        if source in NEW:
            source, cells[1:] = f"{source} (new)", ["", ""]
        print(f"| {stratum} | {source} | {len(here)} | {' | '.join(cells)} |")


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


def print_flows():
    print("| flows | CPU time |")
    print("|---|---|")
    for name, result in benchmark("^simulate(/.*/1024|_permutation/4096)$").items():
        what, _, gpus = name.removeprefix("simulate").lstrip("/_").partition("/")
        print(f"| {what.replace('_', ' ')}, {gpus} GPUs | {result['cpu_time']:.3g} {result['time_unit']} |")


if __name__ == "__main__":
    what, *words = sys.argv[1:] or ["--help"]
    tables = {"accuracy": print_accuracy, "publications": print_publications, "topology": print_topology,
              "points": print_points, "flows": print_flows}
    if what not in tables:
        sys.exit(__doc__)
    tables[what](*words)
