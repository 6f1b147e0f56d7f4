"""[reliability] as a user meets it: columns, the file's attribute, filters, presets, published goodputs.

usage: goodput_test.py ECHO_SWEEP
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
PUBLISHED = pathlib.Path(__file__).parents[2] / "sweeps" / "published" / "goodput.csv"
SWEEP = """[space]
model = "llama3-8b"
cluster = "dgx-h100-ndr400"
gpus = [64, 512]
tp = [2, 4]
global_batch = "4 Mi tokens"
zero = 1
[target]
tokens = "1T tokens"
"""
FAILURES = """[reliability]
preset = "llama3-h100"
gpu_mtbf = "5000 h"
[[objective]]
metric = "train_time_p90"
"""


class Goodput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "steps.toml").write_text(SWEEP)
        (self.folder / "fails.toml").write_text(SWEEP + FAILURES)

    def run_program(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def rows(self, name, *words):
        told = self.run_program("export", f"{name}.h5", "--format", "jsonl", *words)
        return [json.loads(line) for line in told.splitlines()]

    def test_train_time_has_failures_where_the_section_is_given(self):
        for name in ("steps", "fails"):
            self.run_program(f"{name}.toml", "-q")
        alone = {row["config_id"]: row for row in self.rows("steps")}
        rows = self.rows("fails")
        self.assertEqual(set(alone), {row["config_id"] for row in rows})
        for row in rows:
            steps = alone[row["config_id"]]
            self.assertIsNone(steps["goodput"])
            self.assertIsNone(steps["train_time_p90"])
            self.assertTrue(math.isclose(row["train_time"] * row["goodput"], steps["train_time"], rel_tol=1e-6))
            self.assertLess(row["train_time_p50"], row["train_time_p90"])
        by_gpus = {n: min(row["goodput"] for row in rows if row["gpus"] == n) for n in (64, 512)}
        self.assertGreater(by_gpus[64], by_gpus[512])

    def test_its_metrics_rank_filter_and_limit(self):
        self.run_program("fails.toml", "-q")
        told = json.loads(self.run_program("top", "fails.h5", "--json"))
        ends = [row["train_time_p90"] for row in told["rows"]]
        self.assertEqual(ends, sorted(ends))
        goodputs = [row["goodput"] for row in self.rows("fails")]
        bound = (min(goodputs) + max(goodputs)) / 2
        kept = self.rows("fails", "--where", f"goodput >= {bound}")
        self.assertTrue(0 < len(kept) < len(goodputs))
        self.run_program("fails.toml", "-q", "-o", "limited.h5", "--set",
                         f'limit=[{{metric="goodput", min={bound}}}]')
        refused = [row for row in self.rows("limited") if row["status"] == "infeasible"]
        self.assertEqual(len(refused), len(goodputs) - len(kept))

    def test_a_training_that_never_ends_breaks_every_limit(self):
        self.run_program("fails.toml", "-q", "--set", "reliability.gpu_mtbf=30 min", "--set",
                         'limit=[{metric="train_time", max="9000 d"}]', code=3)
        for row in self.rows("fails"):
            self.assertEqual((row["status"], row["reason"], row["goodput"], row["train_time"]),
                             ("infeasible", "limit", 0, None))

    def test_presets_are_listed_and_shown(self):
        listed = self.run_program("presets", "list", "reliability")
        self.assertIn("llama3-h100", listed)
        self.assertIn("466 interruptions", self.run_program("presets", "show", "llama3-h100"))

    def test_published_goodputs(self):
        told = json.loads(self.run_program("validate", str(PUBLISHED), "--json"))
        self.assertIn('"goodputs"', json.dumps(told))
        self.assertIn("Llama 3 405B", self.run_program("validate", str(PUBLISHED)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
