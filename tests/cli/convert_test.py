"""echo-sweep trace-info and convert as a user meets them.   usage: convert_test.py ECHO_SWEEP"""

import collections
import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
LAYOUTS = pathlib.Path(__file__).parents[2] / "sweeps/traced/generator.toml"
SWEEP = """
[space]
model = "gpt3-6.7b"
cluster = "dgx-h100-ndr400"
recipe = "nvidia-performance"
tp = 2
pp = 2
dp = 2
global_batch = 8
micro_batch = 1
zero = [0, 1]
"""


def run(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def lines_of(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        return [json.loads(line) for line in file]


class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.sweep = cls.folder / "s.toml"
        cls.sweep.write_text(SWEEP)
        cls.file = cls.folder / "s.h5"
        run(cls.sweep, "-o", cls.file)
        cls.trace = cls.folder / "point.jsonl"
        run("convert", cls.sweep, "--point", 0, "-o", cls.trace)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def info(self, *arguments):
        return json.loads(run("trace-info", *arguments, "--json").stdout)

    def test_a_row_and_its_point_are_the_same_trace(self):
        out = self.folder / "row.jsonl.gz"
        run("convert", self.file, "--id", 0, "-o", out)
        self.assertEqual(lines_of(out), lines_of(self.trace))

    def test_one_rank_of_each_stage_stands_for_all_of_it(self):
        ranks = [line for line in lines_of(self.trace) if "rank" in line]
        self.assertEqual([line["rank"] for line in ranks], [0, 4])
        self.assertEqual(ranks[1]["stands_for"], [4, 5, 6, 7])
        groups = {group["name"]: group["ranks"] for group in lines_of(self.trace)[0]["groups"]}
        self.assertEqual(groups["tensor-2"], [4, 5])
        self.assertEqual(groups["data_context-0"], [0, 2])
        self.assertEqual(groups["pipeline-0"], [0, 4])

    def test_every_send_has_its_receive(self):
        rank, messages = None, collections.Counter()
        for line in lines_of(self.trace)[1:]:
            rank = line.get("rank", rank)
            if line.get("kind") == "send":
                messages[rank, line["peer"], line.get("tag", 0)] += 1
            elif line.get("kind") == "recv":
                messages[line["peer"], rank, line.get("tag", 0)] -= 1
        self.assertEqual(len(messages), 2 * 4)  # both ways, microbatches
        self.assertEqual(set(messages.values()), {0})

    def test_reading_and_writing_again_changes_nothing(self):
        again = self.folder / "again.jsonl"
        run("convert", self.trace, "-o", again)
        self.assertEqual(again.read_bytes(), self.trace.read_bytes())
        before, after = self.info(self.sweep, "--point", 0), self.info(self.trace)
        for said in ("name", "format"):
            before.pop(said), after.pop(said)
        self.assertEqual(before, after)

    def test_ranks_may_be_chosen(self):
        out = self.folder / "all.jsonl"
        run("convert", self.sweep, "--point", 0, "--ranks", "all", "-o", out)
        self.assertEqual([rank["rank"] for rank in self.info(out)["ranks"]], list(range(8)))
        self.assertEqual([rank["rank"] for rank in self.info(out, "--ranks", "1,6")["ranks"]], [1, 6])
        self.assertEqual({rank["stands_for"] for rank in self.info(out)["ranks"]}, {1})

    def test_chakra_gets_a_file_of_every_rank(self):
        out = self.folder / "et"
        run("convert", self.sweep, "--point", 0, "--to", "chakra", "-o", out)
        self.assertEqual(len(list(out.glob("*.et"))), 8)
        self.assertEqual(self.info(out)["world"], 8)

    def test_a_chakra_trace_is_swept_as_the_trace_it_was_written_from(self):
        folder = self.folder / "swept"
        run("convert", self.sweep, "--point", 0, "--to", "chakra", "-o", folder)
        steps = {}
        for trace in (self.trace, folder):
            sweep = self.folder / "swept.toml"
            sweep.write_text(f'workload = {{ trace = "{trace}" }}\n[space]\n'
                             'cluster = ["dgx-h100-ndr400", "dgx-a100-hdr200"]\ndp = [2, 8]\n')
            run(sweep, "-o", sweep.with_suffix(".h5"), "--fresh")
            rows = csv.DictReader(run("export", sweep.with_suffix(".h5"), "--format", "csv").stdout.splitlines())
            steps[trace] = {(row["cluster"], row["dp"]): row["step_time[s]"] for row in rows}
        self.assertEqual(steps[self.trace], steps[folder])
        self.assertGreater(float(steps[folder]["dgx-a100-hdr200", "2"]), 2 * float(steps[folder]["dgx-h100-ndr400", "2"]))

    def test_times_of_an_unknown_gpu_are_not_taken_for_those_of_another(self):
        bare = self.folder / "no-gpu.jsonl"
        lines = lines_of(self.trace)
        del lines[0]["gpu"]
        bare.write_text("\n".join(json.dumps({k: v for k, v in line.items() if k != "kernel"}) for line in lines) + "\n")
        self.assertIn("the GPU of the durations: [workload] gpu names it", self.info(bare)["not_recorded"])
        sweep = self.folder / "no-gpu.toml"
        sweep.write_text(f'[workload]\ntrace = "{bare}"\n[space]\ncluster = "dgx-a100-hdr200"\n')
        said = run("check", sweep, code=2).stderr
        self.assertIn("no-gpu.toml:2:10: error: ", said)
        self.assertIn('add gpu = "h100-sxm"', said)
        self.assertFalse(sweep.with_suffix(".h5").exists())
        for given in ('workload.gpu="h100-sxm"', 'workload.times="traced"'):
            run("check", sweep, "--set", given)

    def test_a_row_is_written_rank_by_rank_as_it_is_whole(self):
        for to, names in (("chakra", None), ("echo", "x.jsonl")):
            once, whole = self.folder / f"once-{to}", self.folder / f"whole-{to}"
            for out, more in ((once, ()), (whole, ("--cluster", "dgx-h100-ndr400"))):  # priced: as one trace; nothing is to price
                out.mkdir()
                run("convert", self.sweep, "--point", 1, "--to", to, "-o", out / names if names else out, *more)
            for file in whole.iterdir():
                self.assertEqual(file.read_bytes(), (once / file.name).read_bytes(), file.name)

    def test_what_is_counted_adds_up(self):
        info = self.info(self.trace)
        self.assertEqual(sum(rank["ops"] for rank in info["ranks"]), len(lines_of(self.trace)) - 3)
        self.assertEqual(sum(sum(row.values()) for row in info["ops"].values()),
                         sum(rank["ops"] for rank in info["ranks"]))
        self.assertEqual(info["known_share"], 1.0)
        self.assertEqual(info["sweepable"]["dp"]["verdict"], "yes")
        compute = sum(rank["compute_s"] for rank in info["ranks"])
        self.assertAlmostEqual(sum(kernel["time_s"] for kernel in info["kernels"]), compute, places=9)

    def test_the_text_says_what_the_json_says(self):
        text = run("trace-info", self.trace).stdout
        for words in ("8 ranks, 2 traced", "tensor-2", "reduce_scatter", "gemm", "as traced", "0,2"):
            self.assertIn(words, text)

    def test_ops_without_duration_are_priced_where_asked_for(self):
        bare = self.folder / "bare.jsonl"
        lines = [{key: value for key, value in line.items() if key != "duration_ns"} for line in lines_of(self.trace)]
        bare.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
        self.assertIsNone(self.info(bare)["step_s"])
        priced = self.folder / "priced.jsonl"
        said = run("convert", bare, "--cluster", "dgx-h100-ndr400", "-o", priced).stdout
        self.assertIn("0 remain without one", said)
        self.assertEqual(self.info(priced)["untimed"], 0)
        there = {"kernels": self.info(self.trace), "priced": self.info(priced)}
        for table in ("kernels", "communication"):  # the same machine, the same framework: the same times
            for one, other in zip(sorted(there["kernels"][table], key=str), sorted(there["priced"][table], key=str)):
                self.assertAlmostEqual(one["time_s"], other["time_s"], delta=one["time_s"] * 1e-9, msg=str(one))
        slow = self.folder / "slow.jsonl"
        run("convert", bare, "--cluster", "dgx-h100-ndr400", "--gpu", "a100-sxm-80gb", "-o", slow)
        self.assertGreater(self.info(slow)["step_s"], 1.5 * self.info(priced)["step_s"])

    def test_the_layouts_that_are_laid_beside_pytorch_have_their_communication(self):
        for point, expected in enumerate(({("all_reduce", "data")}, {("all_gather", "shard"), ("reduce_scatter", "shard")},
                                          {("all_gather", "tensor"), ("reduce_scatter", "tensor"), ("all_reduce", "tensor")},
                                          {("send", "pipeline"), ("recv", "pipeline")},
                                          {("send", "context"), ("recv", "context"), ("all_reduce", "data")})):
            info = self.info(LAYOUTS, "--point", point)
            self.assertEqual({(one["kind"], one["role"]) for one in info["communication"]}, expected, point)
            products = next(kernel for kernel in info["kernels"] if kernel["kind"] == "gemm")
            self.assertEqual(products["count"], (51, 51, 51, 4 * 51, 51)[point])  # 3 of each of 4 x 4 + 1 weights

    def test_what_cannot_be_done_is_said(self):
        other = self.folder / "other.jsonl"
        for arguments, what in ((("convert", self.sweep, "-o", other), "2 points, not one"),
                                (("convert", self.sweep, "--point", 2, "-o", other), "no point 2"),
                                (("convert", self.sweep, "--point", "x", "-o", other), "not a number"),
                                (("convert", self.file, "-o", other), "--id"),
                                (("convert", self.trace), "needs an output file"),
                                (("convert", self.trace, "--id", 0, "-o", other), "neither"),
                                (("convert", self.trace, "--ranks", "3", "-o", other), "traced are 0,4"),
                                (("convert", self.sweep, "--point", 0, "--ranks", "8", "-o", other), "rank 8"),
                                (("convert", self.trace, "-o", self.folder / "t.unknown"), "--to"),
                                (("convert", self.trace, "--to", "nothing", "-o", other), "nothing"),
                                (("convert", self.trace, "--gpu", "h100-sxm", "-o", other), "--cluster"),
                                (("convert", self.trace, "--cluster", "dgx-h100-ndr40", "-o", other), "did you mean"),
                                (("trace-info", self.folder / "absent.jsonl"), "cannot be read"),
                                (("trace-info", self.sweep, "--from", "echo", "--point", 0), "neither")):
            done = run(*arguments, code=2)
            self.assertIn(what, done.stderr, arguments)
        self.assertFalse(other.exists())
        run("convert", self.trace, "-o", "/nowhere/t.jsonl", code=5)


class Replayed(unittest.TestCase):
    def test_a_row_that_replays_a_trace_names_the_trace_instead(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "out.h5"
            sweep = LAYOUTS.parent / "llama3-8b-fsdp2.toml"
            run(sweep, "-o", out)
            for source in ((out, "--id", 0), (sweep, "--point", 0)):
                told = run("convert", *source, "-o", out.with_suffix(".jsonl"), code=2).stderr
                self.assertIn("is a replayed trace", told)


class Gaps(unittest.TestCase):
    def test_a_replayed_sweep_names_the_kernels_worth_measuring(self):
        with tempfile.TemporaryDirectory() as scratch:
            out, gaps = pathlib.Path(scratch) / "out.h5", pathlib.Path(scratch) / "gaps.csv"
            run(LAYOUTS.parent / "llama3-8b-fsdp2.toml", "-o", out)
            run("profile", "gaps", out, "-o", gaps)
            rows = list(csv.DictReader(gaps.read_text().splitlines()))
        first = next(row for row in rows if row["kind"] == "gemm")
        self.assertEqual((first["m"], first["n"], first["k"]), ("8192", "14336", "4096"))


class ShippedTrace(unittest.TestCase):
    """Llama 3 8B as Transformers and FSDP2 run it, beside the same layout as the generator has it."""
    GENERATED = """
include = ["plain.toml"]
[space]
model = "llama3-8b"
cluster = ["dgx-a100-hdr200", "dgx-h100-ndr400", "dgx-b200"]
framework = "plain"
zero = 3
recompute = "full"
micro_batch = 1
seq_len = 8192
dp = 64
global_batch = 64
"""

    PLAIN = """
[frameworks.plain]  # Transformers does not ask for cuDNN's attention on Blackwell, as torchtitan does
base = "torchtitan-eager"
source = "huggingface/transformers integrations/sdpa_attention.py: PyTorch chooses"
grade = "vendor"
native_attention_from = 0
"""

    def steps_of(self, sweep, folder):
        file = folder / "out.h5"
        run(sweep, "-o", file, "--fresh")
        rows = csv.DictReader(run("export", file, "--format", "csv").stdout.splitlines())
        return {row["cluster"]: float(row["step_time[s]"]) for row in rows if row["dp"] == "64"}

    def test_steps_are_near_the_generators(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "plain.toml").write_text(self.PLAIN)
            (folder / "generated.toml").write_text(self.GENERATED)
            traced = self.steps_of(LAYOUTS.parent / "llama3-8b-fsdp2.toml", folder)
            generated = self.steps_of(folder / "generated.toml", folder)
        self.assertEqual(len(traced), 3)
        for cluster, seconds in traced.items():
            self.assertLess(abs(seconds / generated[cluster] - 1), 0.06, cluster)  # other eager kernels around the same products


if __name__ == "__main__":
    unittest.main()
