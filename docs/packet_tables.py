"""`echo-sweep packets` beside the results of public packet simulators, in Markdown. docs/refresh runs it.

usage: python3 docs/packet_tables.py flows | flits       ($ECHO_DATA_DIR/packet, else ../shared/data/packet)
"""

import collections
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["ECHO_SWEEP"])
DATA = pathlib.Path(os.environ.get("ECHO_DATA_DIR") or "../shared/data") / "packet"
KINDS = {"single": "one flow", "incast": "N to 1", "permutation": "permutations", "alltoall": "all-to-all",
         "ring": "ring all-reduce", "fairness": "late starters", "victim": "paused bystander"}
CONTROLS = {"none_pfc": ["none"], "dcqcn": ["dcqcn"], "hpcc": ["hpcc"], "timely": ["timely"], "dctcp": ["dctcp"],
            "dcqcn_paper": ["dcqcn", "--set", "ALPHA_RESUME_INTERVAL=50", "--set", "RATE_DECREASE_INTERVAL=50", "--set",
                            "RP_TIMER=55"]}


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def ours(*words):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.csv"
        subprocess.run([PROGRAM, "packets", *words, "--csv", out], check=True, stdout=subprocess.DEVNULL)
        return read(out)


def runs_of_flows():
    """Of every run of the reference whose control we have: its kind, our mean completion time over its mean, and how many
    of the flows that it lists are the same to the nanosecond."""
    files = {row["case"]: row for row in read(DATA / "ns3_cases/cases.csv")}
    listed = collections.defaultdict(dict)
    for row in read(DATA / "ns3_flows.csv"):
        listed[row["case"], row["cc"]][row["flow"]] = row["fct_ns"]
    for run in read(DATA / "ns3_summary.csv"):
        if run["cc"] not in CONTROLS:
            continue
        case = files[run["case"]]
        table = ours("--topology", DATA / "ns3_cases" / case["topo_file"], "--flows", DATA / "ns3_cases" / case["flow_file"],
                     "--set", f"BUFFER_SIZE={run['buffer_MiB']}", "--cc", *CONTROLS[run["cc"]])
        suffix = "_buf4MB" if run["buffer_MiB"] == "4" else ""
        expected = listed[run["case"], run["cc"] + suffix]
        same = sum(row["fct_ns"] == expected.get(row["flow"]) for row in table)
        mean = statistics.fmean(float(row["fct_ns"]) for row in table)
        yield run["kind"], mean / float(run["fct_mean_ns"]), same, len(expected)


def flows():
    runs = collections.defaultdict(list)
    for kind, ratio, same, listed in runs_of_flows():
        runs[kind].append((ratio, same, listed))
    print("| cases | runs | largest error of a run's mean completion time | flows listed | equal to the nanosecond |")
    print("|---|---|---|---|---|")
    for kind, words in KINDS.items():
        one = runs[kind]
        listed = sum(run[2] for run in one)
        error = max(abs(run[0] - 1) for run in one)
        print(f"| {words} | {len(one)} | {100 * error:.3f} % | {listed or ''} | {sum(run[1] for run in one) if listed else ''} |")


def flits():
    settings = ("topology", "num_vcs", "vc_buf_size", "packet_size", "traffic", "extra")
    configs = collections.defaultdict(list)
    for row in read(DATA / "booksim_latency_throughput.csv"):
        configs[tuple(row[name] for name in settings)].append(row)
    errors = collections.defaultdict(list)
    for (topology, channels, buffer, size, traffic, extra), rows in configs.items():
        def measured(row, column):
            mine, = ours("--credits", buffer, "--topology", topology, "--traffic", traffic, "--set", f"num_vcs={channels}",
                         "--set", f"packet_size={size}", *(["--set", extra] if extra else []), "--injection-rate",
                         row["injection_rate"], "--sim-type", row["sim_type"])
            return float(mine[column]) / float(row[column]) - 1
        idle = min((row for row in rows if row["sim_type"] == "latency"), key=lambda row: float(row["injection_rate"]))
        full = next(row for row in rows if row["sim_type"] == "throughput")
        errors[topology].append((measured(idle, "pkt_latency_avg"), measured(full, "accepted_flit_rate_avg")))
    print("| fabric | configurations | latency at the lowest rate: mean, largest error | throughput at saturation: mean, largest error |")
    print("|---|---|---|---|")
    for topology, pairs in sorted(errors.items()):
        idle, full = ([abs(pair[i]) * 100 for pair in pairs] for i in (0, 1))
        print(f"| `{topology}` | {len(pairs)} | {statistics.fmean(idle):.2f}, {max(idle):.2f} % | "
              f"{statistics.fmean(full):.2f}, {max(full):.2f} % |")


if __name__ == "__main__":
    if not DATA.is_dir():
        sys.exit(f"{DATA}: no results of public simulators here; set ECHO_DATA_DIR")
    {"flows": flows, "flits": flits}[sys.argv[1]]()
