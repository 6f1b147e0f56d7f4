"""Tables of speed for docs/performance.md, in Markdown: what sweeps take from start to a closed file, beside calculon in
the same run; and launches on many workers, from measured costs.

usage: python3 docs/speed.py table [--calculon DIR] [--quick]     DIR: a checkout of github.com/calculon-ai/calculon
       python3 docs/speed.py scaling

The program is $ECHO_SWEEP (echo-benchmark beside it). --quick leaves the space of three million points out. calculon
needs python3-psutil and python3-pandas; without DIR its row says that it was not run. Run it on a quiet machine: programs
are run one after the other, in turn where they are compared, and user time is taken where the table says per core.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = pathlib.Path(os.environ.get("ECHO_SWEEP") or ROOT / "build/release/bin/echo-sweep")
SPACES = ROOT / "tests/benchmark/spaces"
PHASE = re.compile(r"^([a-z ]+?)  +(\d+\.\d{3})$", re.MULTILINE)  # of --stats
DONE = re.compile(r"done +([\d ]+) points in .*? \((\d+) pt/s.*?(?:, ([\d ]+) timelines/s per worker)? · ([\d ]+) feasible")

# One search of calculon's own, as its llm-all-executions does it, over every n-th execution of GPT-3 175B on 1 024 GPUs;
# prints how many, and the seconds of CPU that they took. n is a prime: its loops have periods of 2, 3 and powers of them.
CALCULON = """
import itertools, resource, sys
import calculon
from calculon.llm import *
from calculon.llm.all_executions import AllExecutions
app = Llm.Application(calculon.io.read_json_file('models/gpt3-175B.json'))
system = System(calculon.io.read_json_file('systems/a100_80g.json'))
every = int(sys.argv[1])
some = list(itertools.islice(AllExecutions.all_executions(app, system, 1024, 1536, 'float16', [True]), every // 2, None, every))
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
AllExecutions.search(app, system, some)
print(len(some), resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
"""


class Run:
    """One run of the program, from its start to its end."""

    def __init__(self, sweep, workers=1, limit=0):
        with tempfile.TemporaryDirectory() as folder:
            command = [str(PROGRAM), str(sweep), "-o", f"{folder}/rows.h5", "--progress", "none", "--stats"]
            command += ["--limit", str(limit)] if limit else []
            if workers > 1:
                command = ["mpirun", "-n", str(workers), "--oversubscribe", *command]
            with open(f"{folder}/out", "w+") as out:
                start = os.times().elapsed
                child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
                _, status, used = os.wait4(child.pid, 0)
                self.wall = os.times().elapsed - start
                child.returncode = os.waitstatus_to_exitcode(status)
                out.seek(0)
                text = out.read()
            if child.returncode not in (0, 3):
                sys.exit(f"{' '.join(command)}:\n{text}")
            self.user, self.mebibytes = used.ru_utime, used.ru_maxrss / 1024
            done = DONE.search(text)
            number = lambda words: float(words.replace(" ", "")) if words else 0.0
            points, rate, timelines, feasible = map(number, done.groups()) if done else (0.0, 1.0, 0.0, 0.0)
            self.points, self.simulating = points, points / max(rate, 1e-3)
            self.timelines, self.feasible = timelines, feasible
            phases = {name: float(seconds) for name, seconds in PHASE.findall(text)}
            self.assembling = phases["result file"]
            self.until_closed = self.wall - phases["summary"]


def best_of(runs, key):
    return min(runs, key=key)


def calculon(folder, every):
    """Configs per second of CPU."""
    ran = subprocess.run([sys.executable, "-c", CALCULON, str(every)], cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": "."})
    if ran.returncode != 0:
        sys.exit(f"calculon in {folder} does not run:\n{ran.stderr}")
    count, seconds = ran.stdout.split()[-2:]
    return float(count) / float(seconds)


def beside_calculon(folder, every):
    """Medians of three pairs: ours, theirs, and the ratio, in configs per second of CPU."""
    pairs = []
    for _ in range(3):
        run = Run(SPACES / "gpt3-1024.toml")
        pairs.append((run.points / run.user, calculon(folder, every)))
    return [statistics.median(values) for values in (*zip(*pairs), [ours / theirs for ours, theirs in pairs])]


def assembled(run):
    """Rows per second from the last point until the result file is closed."""
    return run.points / max(run.assembling, 1e-3)


def benchmark(pattern):
    """{name: result} of echo-benchmark."""
    ran = subprocess.run([PROGRAM.with_name("echo-benchmark"), f"--benchmark_filter={pattern}", "--benchmark_format=json"],
                         check=True, stdout=subprocess.PIPE, text=True)
    return {result["run_name"]: result for result in json.loads(ran.stdout)["benchmarks"]}


def figure(value):
    return f"{value:,.0f}".replace(",", " ")


def seconds(value):
    return f"{value:.1f} s" if value < 100 else f"{value:.0f} s"


def print_row(what, asked, measured):
    print(f"| {what} | {asked} | {measured} |")


def print_many():
    many = SPACES / "gpt3-many.toml"
    one, two = Run(many), Run(many, workers=2)
    print_row("gpt3-many, 1 worker, everything until the file is closed", "45 s or less", seconds(one.until_closed))
    print_row("gpt3-many, 2 workers over 1, everything", "1.85 or more", f"{one.wall / two.wall:.2f}")
    print_row("assembly of gpt3-many, rows/s", "1 000 000 or more", figure(assembled(one)))
    return one


def print_calculon(folder):
    if not folder:
        print_row("points/s per core over calculon's on its own space of GPT-3 on 1 024 GPUs", "300 or more",
                  "not run: no checkout of calculon was given")
        return
    if not (pathlib.Path(folder) / "calculon/llm/all_executions.py").exists():
        sys.exit(f"{folder} is no checkout of calculon: it has no calculon/llm/all_executions.py")
    ours, theirs, ratio = beside_calculon(folder, every=5987)
    print_row("points/s per core over calculon's on its own space of GPT-3 on 1 024 GPUs", "300 or more",
              f"{ratio:.0f} ({figure(ours)} over {figure(theirs)})")


def print_table(options):
    runs = [Run(SPACES / "gpt3-1024.toml") for _ in range(3)]
    dense = best_of(runs, lambda run: run.wall)
    design = best_of([Run(ROOT / "sweeps/design-space.toml") for _ in range(3)], lambda run: run.wall)
    print("| | asked | measured |\n|---|---|---|")
    print_row("gpt3-1024, 1 worker, everything until the file is closed", "2.2 s or less", seconds(dense.until_closed))
    print_row("design-space, 1 worker, everything", "0.8 s or less", seconds(design.wall))
    print_row("timelines/s per core, gpt3-1024", "20 000 or more",
              figure(max(run.timelines or run.feasible / max(run.simulating, 1e-3) for run in runs)))
    others = [Run(sweep) for sweep in sorted((ROOT / "sweeps").glob("*.toml"))]
    if not options.quick:
        others.append(print_many())
    print_calculon(options.calculon)
    most = max(run.mebibytes for run in [dense, design, *others])
    print_row("memory of a worker, any shipped sweep", "64 MiB or less", f"at most {most:.0f} MiB")
    share = benchmark("^dispatch/1000(/|$)")
    print_row("1 000 simulated workers: share of worker 0's time", "2 % or less",
              " ".join(f"{100 * result['share']:.1f} %" for result in share.values()))


def print_scaling(_):
    """A sweep of 10^8 points whose points cost what those of gpt3-1024 do, journal included."""
    points = 1e8
    run = best_of([Run(SPACES / "gpt3-1024.toml") for _ in range(3)], lambda run: run.wall)
    each = run.simulating / run.points
    rows_a_second = assembled(Run(SPACES / "gpt3-many.toml"))  # of a small file most is what every file takes
    served = {int(name.split("/")[1]): result for name, result in benchmark("^dispatch").items()}
    print("| workers | simulating | worker 0 serves | waiting for it | assembly | together | over one worker |")
    print("|---|---|---|---|---|---|---|")
    alone = points * each + points / rows_a_second
    for workers in (1, 10, *sorted(served)):
        row = served.get(workers, {})
        working = workers - 1 if workers > 32 else workers  # beyond, worker 0 simulates nothing
        simulating = points * each / working / row.get("efficiency", 1.0)
        together = simulating + points / rows_a_second
        print(f"| {figure(workers)} | {seconds(simulating)} | {100 * row['share']:.1f} % | {100 * row['waits']:.1f} % "
              if row else f"| {workers} | {seconds(simulating)} | | ",
              f"| {seconds(points / rows_a_second)} | {seconds(together)} | {figure(alone / together)} |", sep="")
    print(f"\nMeasured: {1e6 * each:.1f} us a point with its journal, {figure(rows_a_second)} rows/s of assembly. Assembly, "
          f"which worker 0 does alone, takes as long as simulating on {figure(each * rows_a_second)} workers.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "scaling"])
    parser.add_argument("--calculon", default="")
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    {"table": print_table, "scaling": print_scaling}[chosen.what](chosen)
