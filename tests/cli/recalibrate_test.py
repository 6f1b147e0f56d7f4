"""`echo-sweep validate --recalibrate` and `--site`.   usage: recalibrate_test.py ECHO_SWEEP"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()

HEADER = ("row_id,source,framework,gpu,num_gpus,layers,hidden,heads,ffn_hidden,gated_ffn,vocab,seq_len,precision,tp,pp,dp,"
          "vpp,micro_batch,global_batch,recompute,schedule,step_time_s")
# layers, hidden, tp, pp, dp, global batch
RUNS = [(24, 2048, 1, 1, 8, 64), (24, 4096, 1, 1, 8, 64), (32, 4096, 2, 1, 8, 64), (32, 4096, 4, 1, 4, 64),
        (32, 4096, 1, 1, 16, 32), (40, 5120, 8, 2, 2, 64), (48, 8192, 8, 4, 1, 32), (24, 4096, 1, 1, 32, 64)]
SWEEP = """
include = ["site.toml"]
[space]
model = "gpt3-13b"
cluster = "dgx-h100-ndr400"
framework = "megatron-core"
recipe = "nvidia-performance"
gpus = 16
tp = 8
pp = 1
micro_batch = 1
global_batch = 64
"""


class Recalibrate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write_table("mine.csv", [1.0] * len(RUNS))
        shipped = self.rows_of("mine.csv")
        # A site whose products run at some 0.85 of what is shipped, if they are most of a step.
        self.slower = [float(row["predicted"]) * 1.15 * (1 + 0.01 * (i % 3 - 1)) for i, row in enumerate(shipped)]
        self.write_table("mine.csv", self.slower)

    def write_table(self, name, seconds):
        lines = [HEADER]
        for i, ((layers, hidden, tp, pp, dp, batch), time) in enumerate(zip(RUNS, seconds)):
            lines.append(f"r{i},me,megatron-core,h100-sxm,{tp * pp * dp},{layers},{hidden},{hidden // 128},{4 * hidden},0,51200,"
                         f"2048,bf16,{tp},{pp},{dp},1,1,{batch},none,1f1b,{time:.6g}")
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def run_program(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stdout + done.stderr

    def rows_of(self, *words):
        self.run_program("validate", *words, "--csv", "rows.csv")
        with open(self.folder / "rows.csv", newline="") as file:
            return list(csv.DictReader(file))

    def recalibrate(self, *words, code=0):
        return self.run_program("validate", "mine.csv", "--recalibrate", "site.toml", *words, code=code)

    def test_the_file_gives_the_errors_that_the_report_promises(self):
        told = json.loads(self.recalibrate("--json"))
        self.assertLess(told["recalibrated"]["mean_ape"], 0.5 * told["shipped"]["mean_ape"])
        self.assertLess(told["held_out_recalibrated"]["mean_ape"], told["shipped"]["mean_ape"])
        self.assertEqual(told["no_better_because"], "")
        products = told["constants"][0]
        self.assertEqual((products["name"], products["preset"], products["informed"]), ("products", "h100-sxm", True))
        self.assertLess(products["factor"], 0.95)
        self.assertLess(products["sigma"], products["prior_sigma"])
        errors = [abs(float(row["predicted"]) / float(row["measured"]) - 1)
                  for row in self.rows_of("mine.csv", "--site", "site.toml")]
        self.assertAlmostEqual(sum(errors) / len(errors), told["recalibrated"]["mean_ape"], 4)

    def test_a_sweep_that_includes_the_file_moves(self):
        self.recalibrate()

        def step_time(text):
            (self.folder / "sweep.toml").write_text(text)
            self.run_program("sweep.toml", "-o", "out.h5", "--fresh")
            shown = self.run_program("export", "out.h5", "--columns", "step_time")
            return float(list(csv.DictReader(shown.splitlines()))[0]["step_time[s]"])

        self.assertGreater(step_time(SWEEP), 1.05 * step_time(SWEEP.replace('include = ["site.toml"]\n', "")))

    def test_equal_tables_give_equal_bytes(self):
        self.recalibrate()
        once = (self.folder / "site.toml").read_bytes()
        text = self.recalibrate()
        self.assertEqual((self.folder / "site.toml").read_bytes(), once)
        self.assertIn(b"mine.csv (XXH3-128 ", once)
        for piece in ("products", "one sigma", "held out", "not informed by these rows, kept as shipped", "site.toml written"):
            self.assertIn(piece, text)

    def test_rows_of_the_fit_go_into_a_table(self):
        self.recalibrate("--csv", "fit.csv")
        with open(self.folder / "fit.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["row"] for row in rows], [f"r{i}" for i in range(len(RUNS))])
        self.assertEqual(set(rows[0]), {"row", "measured", "shipped", "recalibrated", "held_out", "weight"})

    def test_what_does_not_help_unseen_rows_is_only_written_by_force(self):
        self.write_table("mine.csv", [time / 1.15 for time in self.slower])  # nothing but the made-up noise
        told = self.recalibrate(code=6)
        self.assertIn("site.toml is not written", told)
        self.assertIn("--force", told)
        self.assertFalse((self.folder / "site.toml").exists())
        self.recalibrate("--force")
        self.assertTrue((self.folder / "site.toml").exists())

    def test_wrong_inputs_are_told(self):
        self.assertIn("one table", self.run_program("validate", "mine.csv", "mine.csv", "--recalibrate", "s.toml", code=2))
        (self.folder / "gemm.csv").write_text("gpu,library,dtype,m,n,k,latency_us\nh100-sxm,sglang,bfloat16,8,8,8,9\n")
        self.assertIn("not a table of training steps",
                      self.run_program("validate", "gemm.csv", "--recalibrate", "s.toml", code=2))
        self.assertIn("cannot read the site file", self.run_program("validate", "mine.csv", "--site", "none.toml", code=3))
        (self.folder / "bad.toml").write_text("[gpus.h100-sxm]\nbase = \"h100-smx\"\nsource = \"s\"\ngrade = \"measured\"\n")
        self.assertIn("bad.toml:2:9", self.run_program("validate", "mine.csv", "--site", "bad.toml", code=2))
        self.assertIn("--site", self.recalibrate("--site", "bad.toml", code=2))
        self.run_program("validate", "mine.csv", "--recalibrate", "no/such/folder.toml", code=5)
        self.write_table("mine.csv", self.slower)
        text = (self.folder / "mine.csv").read_text().replace("h100-sxm", "tpu-v9")
        (self.folder / "mine.csv").write_text(text)
        self.assertIn("nothing to fit", self.recalibrate(code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
