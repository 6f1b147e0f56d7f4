"""Learned slowdown models in a sweep, and what slowdown changes.
usage: slowdown_model_test.py ECHO_SWEEP WRITE_SLOWDOWN_MODEL"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

program = write_model = ""

# Gradients are reduced beside the backward pass, in several layouts and two sizes.
sweep = """
schema = 1
name = "small"

[simulate]
slowdown = "SLOWDOWN"

[space]
model = "llama2-7b"
cluster = "dgx-h100-ndr400"
gpus = [16, 32]
tp = [1, 2, 4, 8]
pp = [1, 2, 4]
zero = [0, 1]
micro_batch = [1, 2]
global_batch = 64
overlap_grad_reduce = true
overlap_param_gather = true
precision = "bf16"
"""


class SlowdownModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "there").mkdir()
        self.save("there/trees.slowdown", "40", "4")

    def save(self, name, *words):
        subprocess.run([write_model, self.folder / name, *words], check=True)

    def write(self, slowdown):
        (self.folder / "there/small.toml").write_text(sweep.replace("SLOWDOWN", slowdown))

    def run_program(self, *words, code=0):
        done = subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env=os.environ)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def json_of(self, *words):
        return json.loads(self.run_program(*words, "--json").stdout)

    def rows_of(self, slowdown, file):
        self.write(slowdown)
        self.run_program("there/small.toml", "-o", file)
        lines = self.run_program("export", file, "--format", "jsonl").stdout.splitlines()
        return [row for row in map(json.loads, lines) if row["status"] == "ok"]

    # --- in a sweep
    def test_rows_are_priced_by_the_model_that_the_sweep_names(self):
        white_box, auto = self.rows_of("contention", "white_box.h5"), self.rows_of("auto", "auto.h5")
        learned, off = self.rows_of("trees.slowdown", "learned.h5"), self.rows_of("off", "off.h5")
        times = [[row["step_time"] for row in rows] for rows in (white_box, auto, learned, off)]
        self.assertGreater(len(times[0]), 50)
        self.assertEqual(times[0], times[1])
        self.assertNotEqual(times[0], times[2])
        for rows in (white_box, learned, off):  # one step has no slowdown, whoever would say how much
            self.assertEqual([row["step_time_no_slowdown"] for row in rows],
                             [row["step_time_no_slowdown"] for row in off])
        self.assertEqual({row["slowdown_tax"] for row in off if row["step_time_no_contention"] == row["step_time"]}, {0.0})

    def test_a_row_is_worked_out_again_with_its_model(self):
        rows = self.rows_of("trees.slowdown", "out.h5")
        taxed = max(rows, key=lambda row: row["slowdown_tax"])
        row = self.json_of("show", "out.h5", taxed["config_id"])
        self.assertEqual(row["remark"], "")
        lost = sum(pair["kernel_longer_by"] for pair in row["slowdown_pairs"])
        self.assertGreater(lost, 0.0)
        self.run_program("trace", "out.h5", taxed["config_id"], "-o", "trace.json")

        self.save("there/trees.slowdown", "41", "4")
        self.assertIn("trees.slowdown\" has changed since", self.json_of("show", "out.h5", taxed["config_id"])["remark"])
        os.remove(self.folder / "there/trees.slowdown")
        self.assertIn("trees.slowdown\" cannot be read", self.json_of("show", "out.h5", taxed["config_id"])["remark"])

    def test_plan_and_check_read_the_model(self):
        self.write("trees.slowdown")
        self.run_program("check", "there/small.toml")
        self.assertGreater(self.json_of("plan", "there/small.toml", "--probe", "20")["probe"]["feasible"], 0)
        self.write("none.slowdown")
        for command in ("check", "plan", "run"):
            self.assertIn("small.toml:6:13", self.run_program(command, "there/small.toml", code=2).stderr)

    def test_rows_of_another_model_are_not_mixed(self):
        self.rows_of("trees.slowdown", "out.h5")
        self.save("there/other.slowdown", "41", "4")
        for other in ("other.slowdown", "auto"):
            self.write(other)
            done = self.run_program("there/small.toml", "-o", "out.h5", code=5)
            self.assertIn("the calibration changed", done.stderr)

    def test_a_model_of_measured_metrics_is_refused(self):
        self.save("there/metrics.slowdown", "1", "1", "metrics")
        self.write("metrics.slowdown")
        done = self.run_program("there/small.toml", "-o", "out.h5", code=2)
        self.assertIn("small.toml:6:13: error: the slowdown model", done.stderr)
        self.assertIn("metrics measured by profilers", done.stderr)
        self.assertFalse((self.folder / "out.h5").exists())

    def test_a_model_that_a_baseline_beats_is_told_of(self):
        self.save("there/beaten.slowdown", "5", "3", "beaten")
        self.write("beaten.slowdown")
        done = self.run_program("there/small.toml", "-o", "out.h5")
        self.assertIn("does not beat \"no slowdown\"", done.stderr)
        self.assertIn("12.5 % against 10.0 %", done.stderr)

    def test_measured_steps_are_predicted_with_the_model_that_is_asked_for(self):
        table = ("row_id,source,framework,gpu,num_gpus,layers,hidden,heads,ffn_hidden,gated_ffn,vocab,seq_len,precision,tp,"
                 "pp,dp,vpp,micro_batch,global_batch,recompute,schedule,flash_attention,step_time_s,stratum\n"
                 "a,made up,megatron-core,h100-sxm,16,32,4096,32,16384,0,51200,2048,bf16,1,1,16,1,1,64,full,1f1b,1,2,x\n")
        (self.folder / "steps.csv").write_text(table)
        def error_with(slowdown):
            return self.json_of("validate", "steps.csv", "--slowdown", slowdown)["by"]["stratum"]["x"]["mean_ape"]
        words = [error_with(slowdown) for slowdown in ("auto", "contention", "off", "there/trees.slowdown")]
        self.assertEqual(words[0], words[1])
        self.assertEqual(len(set(words)), 3)
        self.run_program("validate", "steps.csv", "--slowdown", "none", code=2)

    # --- what slowdown changes
    def test_top_and_the_summary_count_the_slices_it_changes(self):
        rows = self.rows_of("contention", "out.h5")
        self.write("contention")
        summary = self.json_of("there/small.toml", "-o", "out.h5")["without_slowdown"]
        top = self.json_of("top", "out.h5")["without_slowdown"]
        self.assertEqual(summary, top)
        self.assertEqual(top["alike_in"], ["gpus"])
        self.assertEqual(top["slices"], 2)
        changed = 0
        for gpus in (16, 32):
            slice_rows = [row for row in rows if row["gpus"] == gpus]
            fastest, unslowed = (min(row[name] for row in slice_rows) for name in ("step_time", "step_time_no_slowdown"))
            changed += not any(row["step_time"] == fastest and row["step_time_no_slowdown"] == unslowed
                               for row in slice_rows)
        self.assertEqual(top["another_wins"], changed)
        self.assertTrue(top["includes_contention"])
        said = f"slowdown: without it and contention, another layout wins in {changed} of 2 slices"
        for words in (("top", "out.h5"), ("there/small.toml", "-o", "out.h5")):
            self.assertIn(said, self.run_program(*words).stdout)
        one = self.json_of("top", "out.h5", "--where", "gpus == 16")["without_slowdown"]
        self.assertEqual((one["slices"], one["alike_in"]), (1, []))
        self.rows_of("off", "off.h5")
        self.assertNotIn("slowdown: without it", self.run_program("top", "off.h5").stdout)

    def test_show_says_which_kernels_pay(self):
        taxed = max(self.rows_of("contention", "out.h5"), key=lambda row: row["slowdown_tax"])
        pairs = self.json_of("show", "out.h5", taxed["config_id"])["slowdown_pairs"]
        longer = [pair["kernel_longer_by"] for pair in pairs]
        self.assertEqual(longer, sorted(longer, reverse=True))
        self.assertGreater(longer[0], 0.0)
        page = self.run_program("show", "out.h5", taxed["config_id"]).stdout
        self.assertIn("longer because of collectives", page)
        self.assertIn(pairs[0]["kernel"], page)


if __name__ == "__main__":
    program, write_model = map(os.path.realpath, sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
