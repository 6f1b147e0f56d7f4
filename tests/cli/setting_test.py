"""[simulate] setting: sweeps of production runs beside the same sweeps as benchmarks.

usage: setting_test.py ECHO_SWEEP
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SWEEP = """name = "{0}"
[space]
model = "gpt3-13b"
cluster = "generic-h100-sxm"
recipe = "nvidia-performance"
gpus = 1024
global_batch = 2048
tp = [2, 4]
pp = [1, 4]
cuda_graphs = true
[simulate]
setting = "{0}"
"""
TABLE = """row_id,source,framework,setting,gpu,num_gpus,layers,hidden,heads,ffn_hidden,gated_ffn,vocab,seq_len,precision,tp,pp,dp,vpp,micro_batch,global_batch,recompute,schedule,flash_attention,step_time_s,stratum
a,me,megatron-lm,{},a100-sxm-80gb,16,24,2048,16,8192,0,51200,2048,bf16,8,2,1,1,1,64,full,1f1b,0,9.5,mine
"""


class Setting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for setting in ("benchmark", "production"):
            (self.folder / f"{setting}.toml").write_text(SWEEP.format(setting))

    def run_program(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def best_of(self, setting, *words):
        self.run_program(f"{setting}.toml", "-q", *words)
        told = json.loads(self.run_program("top", f"{setting}.h5", "--json"))
        self.assertEqual(told["setting"], setting)
        return told["rows"]

    def test_rows_are_slower_and_less_sure_in_production(self):
        alone = {row["config_id"]: row for row in self.best_of("benchmark")}
        rows = self.best_of("production")
        self.assertEqual(len(rows), len(alone))
        for row in rows:
            before = alone[row["config_id"]]
            self.assertGreater(row["step_time"], 1.02 * before["step_time"])
            self.assertLess(row["step_time"], 1.15 * before["step_time"])
            self.assertGreater(row["rel_error_p90"], before["rel_error_p90"])
            self.assertEqual((before["error_production"], before["breakdown/exposed_time"]["idle"]), (0, 0))
            self.assertGreater(row["error_production"], 0.08)

    def test_summary_and_top_name_production_and_show_lists_its_parts(self):
        self.assertIn("setting production", self.run_program("production.toml"))
        self.assertTrue(self.run_program("top", "production.h5").startswith("setting production"))
        self.assertIn("what it adds", self.run_program("show", "production.h5", "0"))
        row = json.loads(self.run_program("show", "production.h5", "0", "--json"))
        self.assertEqual([part["cause"] for part in row["production"]],
                         ["slowest GPU", "slow nodes", "late host", "temperature", "checkpoints"])
        exposed = row["breakdown/exposed_time"]
        waits = sum(part["seconds"] for part in row["production"] if part["cause"] not in ("late host", "checkpoints"))
        self.assertAlmostEqual(waits, exposed["idle"], 6)
        self.assertAlmostEqual(row["production"][4]["seconds"], exposed["checkpoint"], 6)
        self.assertAlmostEqual(sum(part["seconds"] for part in row["critical_path"]), row["step_time"], 5)
        self.assertNotIn("setting", self.run_program("benchmark.toml"))

    def test_rows_of_both_settings_do_not_mix(self):
        self.best_of("benchmark"), self.best_of("production")
        self.assertIn("row_key", self.run_program("merge", "-o", "both.h5", "benchmark.h5", "production.h5", code=2))
        self.assertIn("another sweep", self.run_program("production.toml", "-o", "benchmark.h5", code=5))

    def test_mean_and_drawn_steps_agree(self):
        rows = self.best_of("production", "--set", "simulate.skew.sigma=0.03", "--set", "simulate.skew.draws=32")
        for row in rows:
            self.assertLessEqual(row["step_time_p50"], row["step_time_p90"])
            self.assertAlmostEqual(row["step_time_p50"] / row["step_time"], 1, delta=0.02)

    def test_measured_runs_are_predicted_as_stated_or_as_asked(self):
        def step(cell, *words):
            (self.folder / "steps.csv").write_text(TABLE.format(cell))
            told = json.loads(self.run_program("validate", "steps.csv", "--json", *words))
            return told["skipped"] if told["scored"] == 0 else told["bias"]

        self.assertEqual(step(""), step("benchmark"))
        self.assertGreater(step("production"), step("benchmark"))
        self.assertEqual(step("", "--setting", "production"), step("production"))
        self.assertEqual(step("production", "--setting", "benchmark"), step("benchmark"))
        self.assertEqual(step("prodution"), {"unknown setting": 1})
        self.assertIn("stated, benchmark or production", self.run_program("validate", "steps.csv", "--setting", "best", code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
