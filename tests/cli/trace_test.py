"""echo-sweep trace: what is drawn is what was simulated.  usage: trace_test.py PROGRAM"""

import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py

PROGRAM = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from trace_event_format import problems_of  # noqa: E402

SWEEP = """
[space]
model = "gpt3-6.7b"
cluster = "dgx-h100-ndr400"
recipe = "nvidia-performance"
tp = 2
pp = 4
dp = 2
global_batch = 16
micro_batch = 1
flash_attention = true
overlap_p2p = [false, true]
[[space.group]]
schedule = ["1f1b", "gpipe", "zb-h1"]
[[space.group]]
schedule = "interleaved"
vpp = 2
[[space.group]]
schedule = "v-half"
vpp = 2
[[space.group]]
model = "qwen3-30b-a3b"
ep = 2
zero = 1
[[space.group]]
model = "qwen3-30b-a3b"
ep = 2
zero = 1
schedule = "interleaved"
vpp = 2
overlap_ep = true
overlaps_shared_experts = false
[[space.group]]
pp = 1
zero = 3
fsdp_reshard = [true, false]
"""
SPLIT = ("zb-h1", "v-half")
STEP = 0  # the thread of what a stage does


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


class Trace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        (folder / "s.toml").write_text(SWEEP)
        cls.file = folder / "s.h5"
        done = run(folder / "s.toml", "-o", cls.file)
        assert done.returncode == 0, done.stderr
        cls.rows = h5py.File(cls.file)
        cls.ok = [row for row, status in enumerate(cls.rows["status"][...]) if status == 0]
        assert len(cls.ok) >= 14, cls.ok

    @classmethod
    def tearDownClass(cls):
        cls.rows.close()
        cls.folder.cleanup()

    def column(self, name, row):
        return self.rows[name][row]

    def meaning(self, name, row):
        column = self.rows[name]
        words = column.attrs["flag_meanings"]
        words = (words.decode() if isinstance(words, bytes) else words).split()
        return words[list(column.attrs["flag_values"]).index(column[row])]

    def trace(self, row, *options, name="t.json.gz"):
        path = pathlib.Path(self.folder.name) / name
        done = run("trace", self.file, row, "-o", path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
        with opened as file:
            return json.load(file)

    @staticmethod
    def step_slices(trace):
        stages = collections.defaultdict(list)
        for event in trace["traceEvents"]:
            if event["ph"] == "X" and event["tid"] == STEP:
                stages[event["pid"]].append(event)
        return stages

    def test_the_breakdown_of_the_file_is_found_again(self):
        labels = [part.decode() if isinstance(part, bytes) else part for part in self.rows["breakdown/part"][...]]
        for row in self.ok:
            slices = self.step_slices(self.trace(row))[int(self.column("critical_stage", row))]
            found = collections.Counter()
            for event in slices:
                for part, time in event["args"]["exposed_us"].items():
                    found[part] += time
            stored = dict(zip(labels, self.rows["breakdown/exposed_time"][row] * 1e6))
            if self.meaning("schedule", row) not in SPLIT:  # whose stages start one after the other
                self.assertAlmostEqual(sum(found.values()), self.column("step_time", row) * 1e6, places=3)
                # Where both sides of a hop wait, what is transfer and what is waiting is a matter of words.
                both = ("bubble", "pp_comm")
                self.assertAlmostEqual(sum(found[p] for p in both), sum(stored[p] for p in both), places=3)
            for part in labels:
                if part not in ("bubble", "pp_comm"):
                    self.assertAlmostEqual(found[part], stored[part], places=3, msg=f"{part} of row {row}")

    def test_slices_of_a_stage_follow_each_other_without_gap(self):
        for row in self.ok:
            for stage, events in self.step_slices(self.trace(row)).items():
                end = 0.0
                for event in events:
                    self.assertAlmostEqual(event["ts"], end, places=3, msg=f"row {row}, stage {stage}")
                    end = event["ts"] + event["dur"]
                    self.assertAlmostEqual(sum(event["args"]["exposed_us"].values()), event["dur"], places=3)

    def test_every_task_is_there_once_and_every_hop_has_an_arrow(self):
        for row in self.ok:
            trace = self.trace(row)
            tasks = [e for events in self.step_slices(trace).values() for e in events if "microbatch" in e["args"]]
            chunks = int(self.column("pp", row)) * int(self.column("vpp", row))
            passes = 3 if self.meaning("schedule", row) in SPLIT else 2
            microbatches = int(self.column("microbatches", row))
            self.assertEqual(sum(e["name"].count("+") + 1 for e in tasks), passes * chunks * microbatches)
            self.assertEqual(len({(e["name"], e["args"]["chunk"], e["cat"]) for e in tasks}), len(tasks))
            arrows = collections.Counter(e["ph"] for e in trace["traceEvents"] if e["ph"] in "sf")
            turns = self.meaning("schedule", row) == "v-half"  # from chunk to chunk on one stage
            hops = 2 * (chunks - 1 - turns) * microbatches
            self.assertEqual((arrows["s"], arrows["f"]), (hops, hops))
            begun = {e["id"]: e["ts"] for e in trace["traceEvents"] if e["ph"] == "s"}
            for event in trace["traceEvents"]:
                if event["ph"] == "f":
                    self.assertGreaterEqual(event["ts"], begun[event["id"]])

    def test_ops_lie_within_their_tasks_and_fill_them(self):
        trace = self.trace(self.ok[0])
        for stage, events in self.step_slices(trace).items():
            ops = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == stage and e["tid"] == 1]
            for task in events:
                if "microbatch" not in task["args"]:
                    continue
                begin, end = task["ts"], task["ts"] + task["dur"]
                inside = sum(op["dur"] for op in ops if begin - 1e-3 <= op["ts"] and op["ts"] + op["dur"] <= end + 1e-3)
                exposed = task["args"]["exposed_us"]
                computing = sum(exposed.get(p, 0.0) for p in ("forward", "backward", "recompute", "slowdown"))
                self.assertAlmostEqual(inside, computing, places=2)

    def test_memory_rises_to_the_peak_of_the_file(self):
        for row in self.ok:
            peak = collections.defaultdict(float)
            for event in self.trace(row)["traceEvents"]:
                if event["ph"] == "C" and event["name"].startswith("memory"):
                    peak[event["pid"]] = max(peak[event["pid"]], event["args"]["value"])
            self.assertAlmostEqual(peak[int(self.column("mem_peak_stage", row))],
                                   self.column("mem_peak", row) / 2**30, places=6)

    def test_size_is_bounded(self):
        whole, small = self.trace(self.ok[0]), self.trace(self.ok[0], "--max-events", 3000)
        self.assertLess(len(small["traceEvents"]), 3000)
        self.assertGreater(len(whole["traceEvents"]), 3000)
        self.assertEqual(sorted(e["ts"] for s in self.step_slices(whole).values() for e in s),
                         sorted(e["ts"] for s in self.step_slices(small).values() for e in s))

    def test_a_bound_below_the_tasks_holds_and_the_breakdown_is_whole(self):
        whole = self.step_slices(self.trace(self.ok[0]))
        for bound in (1000, 700, 300, 150):
            small = self.trace(self.ok[0], "--max-events", bound)
            self.assertLessEqual(len(small["traceEvents"]), bound)
            for stage, slices in self.step_slices(small).items():
                for one, following in zip(slices, slices[1:]):
                    self.assertAlmostEqual(one["ts"] + one["dur"], following["ts"], places=4)
                for part in {part for e in whole[stage] for part in e["args"]["exposed_us"]}:
                    self.assertAlmostEqual(sum(e["args"]["exposed_us"].get(part, 0.0) for e in slices),
                                           sum(e["args"]["exposed_us"].get(part, 0.0) for e in whole[stage]), places=3)
        nothing = pathlib.Path(self.folder.name) / "nothing.json"
        done = run("trace", self.file, self.ok[0], "--max-events", "10", "-o", nothing)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse(nothing.exists())
        self.assertIn("--max-events", done.stderr)

    def test_ops_are_drawn_where_tasks_would_fill_the_bound(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "long.toml").write_text('[space]\nmodel = "gpt3-125m"\ncluster = "dgx-h100-ndr400"\ntp = 1\npp = 4\ndp = 2\n'
                                          'micro_batch = 1\nglobal_batch = 1024\n')
        done = run(folder / "long.toml", "-o", folder / "long.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("trace", folder / "long.h5", 0, "-o", folder / "long.json", "--max-events", 12000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"of 512 microbatches drawn, [1-9]\d* of them with their ops")
        events = json.loads((folder / "long.json").read_text())["traceEvents"]
        self.assertLessEqual(len(events), 12000)
        self.assertGreater(len(events), 8000)
        self.assertTrue(any(e["ph"] == "X" and e["tid"] == 1 for e in events))
        drawn = {e["args"]["microbatch"] for e in events if "microbatch" in e.get("args", {})}
        self.assertTrue({0, 1, 511} <= drawn, drawn)

    def test_every_track_has_a_name(self):
        events = self.trace(self.ok[0])["traceEvents"]
        named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertTrue(all(named.values()), named)
        self.assertLessEqual({(e["pid"], e["tid"]) for e in events if e["ph"] == "X"}, set(named))

    def test_viewers_read_it(self):
        for row in self.ok:
            for options in (("--max-events", 3000), ("--max-events", 3000, "--ranks", "0,1")):
                self.assertEqual(problems_of(self.trace(row, *options)), [], f"row {row} {options}")
        self.assertEqual(problems_of(self.trace(self.ok[0])), [])

    def test_gpu_ranks_are_drawn_one_by_one(self):
        """Each as its stage, which all its ranks do alike; arrows join the ranks of one pipeline."""
        for row in self.ok[::3]:
            gpus, pp = int(self.column("gpus", row)), int(self.column("pp", row))
            each = gpus // pp
            ranks = [0, each - 1, gpus - each, gpus - 1]
            whole = self.step_slices(self.trace(row))
            some = self.trace(row, "--ranks", ",".join(map(str, ranks)))
            drawn = self.step_slices(some)
            self.assertEqual(set(drawn), set(ranks))
            names = {e["pid"]: e["args"]["name"] for e in some["traceEvents"] if e["name"] == "process_name"}
            for rank in set(ranks):
                stage = rank // each
                self.assertEqual(names[rank], f"gpu rank {rank} (stage {stage})")
                alike = [[{key: value for key, value in e.items() if key != "pid"} for e in events]
                         for events in (drawn[rank], whole[stage])]
                self.assertEqual(*alike)
            begun = {e["id"]: e["pid"] for e in some["traceEvents"] if e["ph"] == "s"}
            for event in some["traceEvents"]:
                if event["ph"] == "f":
                    self.assertEqual(event["pid"] % each, begun[event["id"]] % each)

    def test_stages_and_ranks_stand_side_by_side(self):
        trace = self.trace(self.ok[0], "--stages", "1", "--ranks", "0")
        names = {e["args"]["name"].split(" (")[0] for e in trace["traceEvents"] if e["name"] == "process_name"}
        self.assertEqual(names, {"stage 1", "gpu rank 0"})
        self.assertEqual(problems_of(trace), [])

    def test_tasks_may_stand_alone(self):
        for row in self.ok[::4]:
            whole, tasks = self.trace(row), self.trace(row, "--tasks-only")
            self.assertEqual(self.step_slices(whole), self.step_slices(tasks))
            self.assertFalse([e for e in tasks["traceEvents"] if e["ph"] == "X" and "alone_us" in e.get("args", {})])

    def test_stages_may_be_chosen(self):
        trace = self.trace(self.ok[0], "--stages", "1,3", name="t.json")
        self.assertEqual({e["pid"] for e in trace["traceEvents"]}, {1, 3})

    def test_what_cannot_be_drawn_is_said(self):
        for arguments, what in ((("trace", self.file, self.ok[0], "--stages", "4"), "not a stage"),
                                (("trace", self.file, self.ok[0], "--ranks", "0,4096"), "not a gpu rank"),
                                (("trace", self.file, "ffffffffffffffff"), "no row"),
                                (("trace", self.file, self.ok[0], "-o", "/nowhere/t.json"), "cannot write")):
            done = run(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(what, done.stderr)

    def test_show_draws_the_pipeline(self):
        text = run("show", self.file, self.ok[0]).stdout
        drawing = text[text.index("pipeline ("):].splitlines()[2:]
        self.assertEqual([line.split("|")[0].strip() for line in drawing[:4]], ["0", "1", "2", "3"])
        self.assertIn("F0", drawing[0])
        self.assertIn("B0", drawing[3])
        self.assertTrue(drawing[3].split("|")[1].startswith("."))


class Replay(unittest.TestCase):
    """A generated step, written as a trace and replayed: its picture is that of its row."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = cls.folder = pathlib.Path(cls.scratch.name)
        (folder / "s.toml").write_text('[space]\nmodel = "gpt3-1.3b"\ncluster = "dgx-h100-ndr400"\nrecipe = "nvidia-performance"\n'
                                       "tp = 2\npp = 2\ndp = 4\nglobal_batch = 16\nmicro_batch = 1\n")
        run("convert", folder / "s.toml", "-o", folder / "step.jsonl").check_returncode()
        (folder / "r.toml").write_text('workload = { trace = "step.jsonl" }\n[space]\ncluster = "dgx-h100-ndr400"\n')
        cls.file = folder / "r.h5"
        done = run(folder / "r.toml", "-o", cls.file)
        assert done.returncode == 0, done.stderr
        with h5py.File(cls.file) as rows:
            cls.step = float(rows["step_time"][0]) * 1e6

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def trace(self, *options):
        done = run("trace", self.file, 0, "-o", self.folder / "t.json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "t.json").read_text()), done.stdout

    def test_every_op_is_there_and_viewers_read_it(self):
        trace, told = self.trace()
        self.assertEqual(problems_of(trace), [])
        recorded = [json.loads(line) for line in (self.folder / "step.jsonl").read_text().splitlines()]
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        self.assertAlmostEqual(max(e["ts"] + e["dur"] for e in slices), self.step, places=3)
        self.assertIn(f"{len(slices)} of {len(slices)} ops", told)
        picoseconds = [round((e["ts"] + e["dur"]) * 1e6) for e in slices]  # sums of fractions are not exact, these are
        self.assertEqual(round(trace["otherData"]["step_us"] * 1e6), max(picoseconds))
        self.assertGreater(len(recorded), 100)
        for event in slices:
            if event["name"] != "wait":
                self.assertGreaterEqual(event["ts"] + 1e-6, event["args"]["issued_us"])
                self.assertGreaterEqual(event["dur"] + 1e-5, event["args"]["alone_us"] * (event["cat"] in ("forward", "backward")))

    def test_a_process_is_a_gpu_rank(self):
        whole, _ = self.trace()
        ranks = sorted({e["pid"] for e in whole["traceEvents"]})
        self.assertGreaterEqual(len(ranks), 2)
        for event in whole["traceEvents"]:
            if event["name"] == "process_name":
                self.assertEqual(event["args"]["name"], f"gpu rank {event['pid']}")
        # rank 1 does what rank 0, its tensor-parallel neighbour, was recorded to do
        other, _ = self.trace("--ranks", "1")
        self.assertEqual({e["pid"] for e in other["traceEvents"]}, {1})
        self.assertEqual(other["traceEvents"][0]["args"]["name"], "gpu rank 1 (does as gpu rank 0)")
        times = [[(e["ts"], e["dur"], e["name"], e["tid"]) for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == pid]
                 for trace, pid in ((whole, 0), (other, 1))]
        self.assertEqual(*times)
        self.assertEqual(problems_of(other), [])

    def test_size_is_bounded_by_the_shortest_ops(self):
        whole, _ = self.trace()
        small, told = self.trace("--max-events", 200)
        self.assertEqual(len(small["traceEvents"]), 200)
        self.assertIn("shortest ops are left out", told)
        lengths = sorted((e["dur"] for e in whole["traceEvents"] if e["ph"] == "X"), reverse=True)
        kept = [e["dur"] for e in small["traceEvents"] if e["ph"] == "X"]
        self.assertEqual(sorted(kept, reverse=True), lengths[:len(kept)])

    def test_what_cannot_be_drawn_is_said(self):
        for options, what in ((("--stages", "0"), "has gpu ranks, no stages"), (("--ranks", "16"), "not a gpu rank"),
                              (("--max-events", "3"), "do not suffice")):
            done = run("trace", self.file, 0, "-o", self.folder / "never.json", *options)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(what, done.stderr)
            self.assertFalse((self.folder / "never.json").exists())


if __name__ == "__main__":
    unittest.main()
