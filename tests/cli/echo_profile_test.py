"""From the gaps of a sweep to steps priced by measurements, with made-up launches in place of a GPU.
usage: echo_profile_test.py ECHO_SWEEP ECHO_PROFILE"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

program, profiler = "", ""

# One GPU, and a host that is always ahead: nothing overlaps, so that a longer kernel makes the step as much longer.
sweep = """
schema = 1
name = "one"

[space]
model = "gpt3-1.3b"
cluster = "h800-96"
gpus = 1
micro_batch = 1
global_batch = 4
precision = "bf16"
cuda_graphs = true
"""
layers, microbatches, hidden, tokens = 24, 4, 2048, 2048
norms = (2 * layers + 1) * microbatches  # two a layer, and the last one
not_run = {"cross_entropy_forward", "cross_entropy_backward", "embedding_backward", "activation_backward"}


class EchoProfile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "one.toml").write_text(sweep)

    def run_program(self, *words, code=0, which=None):
        done = subprocess.run([which or program, *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, env=os.environ)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def measure(self, *words, code=0):
        return self.run_program(*words, code=code, which=profiler)

    def json_of(self, *words):
        return json.loads(self.run_program(*words, "--json").stdout)

    def rows_of(self, file):
        return [json.loads(line) for line in
                self.run_program("export", file, "--format", "jsonl").stdout.splitlines()]

    def table(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def write_launches(self, kernels, microseconds, name="launches.csv"):
        """Two trains a kernel: slow at first, one launch in the way of something else, the rest at their time."""
        drop = {"share", "error", "price", "points"}
        keys = [key for key in kernels[0] if key not in drop]
        with open(self.folder / name, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow([*keys, "library_version", "how", "date", "clock_mhz", "launches_us"])
            for kernel in kernels:
                time = microseconds(kernel)
                launches = [3 * time, 2 * time] + [time] * 12 + [9 * time]
                for _ in range(2):
                    out.writerow([*(kernel[key] for key in keys), "made up", "by hand", "today", 1755,
                                  " ".join(f"{one:.3f}" for one in launches)])

    def gaps(self, result, name="gaps.csv"):
        self.run_program("profile", "gaps", result, "-o", name)
        return self.table(name)

    def test_gaps_are_measured_and_price_the_next_sweep(self):
        self.run_program("run", "one.toml", "-o", "without.h5")
        gaps = self.gaps("without.h5")
        self.assertIn("norm_forward", {gap["kind"] for gap in gaps})
        weights = [float(gap["share"]) * float(gap["error"]) for gap in gaps]
        self.assertEqual(weights, sorted(weights, reverse=True))
        plan = self.measure("--dry-run", "--gaps", "gaps.csv", "--gpu", "h800-sxm").stdout
        self.assertIn("left out", plan)
        self.write_launches(gaps, lambda kernel: 60 if kernel["kind"] == "norm_forward" else 200)
        words = ["p.h5", "--gaps", "gaps.csv", "--replay", "launches.csv", "--kinds", "norm_forward"]
        self.assertIn("1 kernels measured, 0 not reached", self.measure(*words).stdout)
        self.assertIn("0 kernels measured", self.measure(*words).stdout)  # it is in the file already
        (kernel,) = self.json_of("profile", "show", "p.h5")
        self.assertAlmostEqual(kernel["duration"], 60e-6, delta=1e-12)
        self.assertEqual((kernel["gpu"], kernel["m"], kernel["n"], kernel["scope"], kernel["clock"]),
                         ("h800-sxm", tokens, hidden, "kernel", 1755))
        self.run_program("run", "one.toml", "-o", "with.h5", "--profile", "p.h5")
        (without,), (priced,) = self.rows_of("without.h5"), self.rows_of("with.h5")
        longer = norms * (60e-6 - kernel["modelled"])
        self.assertGreater(longer, 1e-3)
        self.assertAlmostEqual(priced["step_time"] - without["step_time"], longer, delta=1e-8)
        self.assertGreater(priced["measured_share"], 0.02)
        left = self.gaps("with.h5", "left.csv")
        self.assertNotIn("norm_forward", {gap["kind"] for gap in left})
        self.assertEqual(len(left), len(gaps) - 1)

    def test_all_that_is_run_here_leaves_few_gaps(self):
        self.run_program("profile", "plan", "one.toml", "-o", "plan.csv")
        kernels = self.table("plan.csv")
        self.write_launches(kernels, lambda kernel: 150)
        done = self.measure("p.h5", "--gaps", "plan.csv", "--replay", "launches.csv")
        self.assertNotIn("failed", done.stdout)
        self.run_program("run", "one.toml", "-o", "with.h5", "--profile", "p.h5")
        self.assertGreater(self.rows_of("with.h5")[0]["measured_share"], 0.9)
        left = {gap["kind"] for gap in self.gaps("with.h5", "left.csv")}
        self.assertLessEqual(left, not_run)
        listed = self.json_of("profile", "list", "p.h5")
        self.assertEqual(listed["origins"],
                         [{"table": "by hand", "library_version": "made up", "date": "today"}])

    def test_a_plan_is_of_the_points_a_sweep_has(self):
        self.run_program("profile", "plan", "one.toml", "-o", "a.csv")
        self.run_program("profile", "plan", "one.toml", "-o", "b.csv", "--set", "space.micro_batch=2")
        a, b = self.table("a.csv"), self.table("b.csv")
        self.assertEqual({row["m"] for row in a if row["kind"] == "norm_forward"}, {str(tokens)})
        self.assertEqual({row["m"] for row in b if row["kind"] == "norm_forward"}, {str(2 * tokens)})
        both = self.run_program("profile", "plan", "one.toml", "--set", "space.micro_batch=[1, 2]").stdout
        rows = list(csv.DictReader(both.splitlines()))
        self.assertEqual({row["m"] for row in rows if row["kind"] == "norm_forward"},
                         {str(tokens), str(2 * tokens)})

    def test_a_plan_of_points_that_cannot_run_says_so(self):
        done = self.run_program("profile", "plan", "one.toml", "--set", "space.model=llama3-70b", code=2)
        self.assertIn("none of 1 points", done.stderr)
        self.assertIn("does not fit into memory", done.stderr)
        some = self.run_program("profile", "plan", "one.toml", "--set", "space.model=['gpt3-1.3b', 'llama3-70b']",
                                "-o", "some.csv")
        self.assertIn("kernels of 1 point\n", some.stdout)

    def test_the_sweep_that_ships_plans_for_other_models(self):
        shipped = pathlib.Path(__file__).parents[2] / "sweeps" / "kernels-of-a-model.toml"
        for model in ["llama3-70b", "gpt3-175b"]:
            self.run_program("profile", "plan", str(shipped), "--set", f"space.model={model}", "-o", "k.csv")
            kernels = self.table("k.csv")
            self.assertEqual({row["precision"] for row in kernels if row["kind"] == "gemm"}, {"bf16", "fp8"})
            plan = self.measure("--dry-run", "--gaps", "k.csv", "--gpu", "h100-sxm").stdout
            self.assertGreater(int(plan.split(" kernels,")[0].split()[-1]), 50)

    def test_bad_input_is_told_at_once_and_nothing_is_written(self):
        (self.folder / "bad.csv").write_text("kind,m,hue\ngem,1,\nrope,x,\n")
        done = self.measure("p.h5", "--gaps", "bad.csv", code=2)
        for place in ["bad.csv:1", "bad.csv:2", "bad.csv:3"]:
            self.assertIn(place, done.stderr)
        self.measure("p.h5", "--replay", "nowhere.csv", code=2)
        self.measure("p.h5", "--replay", "one.toml", code=2)
        self.measure("one.toml", "--dry-run", code=2)
        self.run_program("profile", "gaps", "one.toml", code=5)
        self.run_program("profile", "plan", "none.toml", code=2)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bad.csv", "one.toml"])


if __name__ == "__main__":
    program, profiler = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
