"""What only the program knows of a result file: counts of the space, kernels worth measuring, timelines, launch files. It simulates again."""

import csv
import json
import os
import shutil
import subprocess
import tempfile

from .packed import packed

LONGEST = 20.0   # seconds that one question may take
EVENTS = 40_000  # of a timeline
OPS = 2500       # of a replayed step on the page, the longest
POINTS = 20      # best rows whose kernels are looked at
KERNELS = 12     # shown
KINDS = ("forward", "backward", "weight_gradient", "pair", "bubble", "pp_comm", "tail", "omitted")


def find_program(named=None):
    """The path of echo-sweep: `named`, else ECHO_SWEEP, else the one on PATH; None where there is none."""
    for candidate in (named, os.environ.get("ECHO_SWEEP")):
        if candidate:
            return shutil.which(candidate)
    return shutil.which("echo-sweep")


class Program:
    """Asks `path` about the result file `file`. An answer is (value, ""), or (None, why there is none)."""

    def __init__(self, path, file):
        self._path, self._file = path, os.path.abspath(file)

    def _run(self, *words):
        if self._path is None:
            return None, "the program echo-sweep was not found: put it on PATH, or name it in ECHO_SWEEP"
        try:
            done = subprocess.run([self._path, *words], capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return None, f"echo-sweep {words[0]} took longer than {LONGEST:.0f} s"
        except OSError as error:
            return None, f"{self._path}: {error.strerror}"
        if done.returncode != 0:
            said = (done.stderr.strip() or f"echo-sweep {words[0]} ended with code {done.returncode}").splitlines()
            return None, said[0].removeprefix("error: ")
        return done.stdout, ""

    def plan(self):
        """Combinations, what each rule removes of them, repeats and points, as `echo-sweep plan FILE.h5 --json` says."""
        text, problem = self._run("plan", self._file, "--json")
        return (json.loads(text), "") if text is not None else (None, problem)

    def next_runs(self, runs, where, by, max_gpus):
        """Which real runs would settle the ranking, as `echo-sweep next FILE.h5 --json` says."""
        text, problem = self._run("next", self._file, "--runs", str(runs), "--where", where, "--by", by,
                                  "--max-gpus", str(max_gpus), "--json")
        return (json.loads(text), "") if text is not None else (None, problem)

    def kernels(self):
        """[{gpu, the kernel's key, share, error, price, points}] that would tell most about the best rows if measured."""
        text, problem = self._run("profile", "gaps", self._file, "--points", str(POINTS))
        return (list(csv.DictReader(text.splitlines()))[:KERNELS], "") if text is not None else (None, problem)

    def launch(self, row_id):
        """The launch file of a row for the framework that it is simulated as; it names the result file without its folder."""
        text, problem = self._run("launch", self._file, row_id)
        return (text.replace(self._file, os.path.basename(self._file)), "") if text is not None else (None, problem)

    def timeline(self, row_id):
        """{"tracks", "kinds", "names": words, "ops", and of each slice "track", "start", "end", "kind", "name", packed} of the
        step of a row, in us; `ops`: of a replayed step all there are."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "step.json")
            _, problem = self._run("trace", self._file, row_id, "-o", path, "--max-events", str(EVENTS), "--tasks-only")
            if problem:
                return None, problem
            with open(path) as trace:
                return _timeline_of(json.load(trace)), ""


def _timeline_of(trace):
    """The threads `step` of a trace, one of each stage; of a replayed step, which has none, its streams, their longest ops."""
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    steps = [event for event in events if event["tid"] == 0 and event["cat"] in KINDS]
    is_replay = not steps
    chosen = sorted(events, key=lambda event: -event["dur"])[:OPS] if is_replay else steps
    chosen.sort(key=lambda event: event["ts"])
    names = {}
    for event in trace["traceEvents"]:
        if event.get("name") in ("process_name", "thread_name"):
            thread = event["tid"] if event["name"] == "thread_name" else None
            names[event["pid"], thread] = event["args"]["name"]
    tracks = sorted({(event["pid"], event["tid"]) for event in chosen})
    kinds = list(dict.fromkeys(event["cat"] for event in chosen)) if is_replay else list(KINDS)
    place, code = {track: i for i, track in enumerate(tracks)}, {kind: i for i, kind in enumerate(kinds)}
    words = list(dict.fromkeys(event["name"] for event in chosen))
    name_code = {name: i for i, name in enumerate(words)}
    return {"tracks": [f"{names[pid, None]}, {names[pid, tid]}" if is_replay else f"stage {pid}" for pid, tid in tracks],
            "kinds": kinds, "ops": len(events) if is_replay else 0,
            "names": words,
            "track": packed([place[event["pid"], event["tid"]] for event in chosen]),
            "start": packed([float(event["ts"]) for event in chosen]),
            "end": packed([float(event["ts"] + event["dur"]) for event in chosen]),
            "kind": packed([code[event["cat"]] for event in chosen]),
            "name": packed([name_code[event["name"]] for event in chosen])}
