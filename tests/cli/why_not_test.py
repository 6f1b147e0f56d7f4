"""Why rows are infeasible: the rules that they break, in the summary, `top --infeasible`, `show`, `export`, Python and `check`.

usage: why_not_test.py ECHO_SWEEP
"""

import csv
import io
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

MIXTURE = """
schema = 1
[space]
model = "qwen3-30b-a3b"
cluster = "dgx-h100-ndr400"
recipe = "nvidia-performance"
gpus = 64
tp = [1, 2, 4]
pp = [1, 2, 3]
ep = [1, 4, 8, 24]
etp = 1
sequence_parallel = [true, false]
global_batch = 256
"""
SPLIT = """
schema = 1
[space]
model = "llama3-8b"
cluster = "dgx-h100-ndr400"
framework = "torchtitan"
gpus = 64
pp = [2, 4]
schedule = ["1f1b", "zb-h1"]
global_batch = 128
"""
NEEDS = "mixtures of experts under tensor parallelism need sequence parallelism"


class WhyNot(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "mixture.toml").write_text(MIXTURE)
        (cls.folder / "split.toml").write_text(SPLIT)
        cls.summary = cls.told("mixture.toml", "-q")
        cls.causes = json.loads(cls.told("top", "mixture.h5", "--infeasible", "--json"))["causes"]

    @classmethod
    def told(cls, *words):
        done = cls.start(*words)
        done.check_returncode()
        return done.stdout

    def test_every_unsupported_row_has_a_rule_and_no_other_row(self):
        rows = list(csv.DictReader(io.StringIO(self.told("export", "mixture.h5", "--columns", "reason,rule"))))
        self.assertIn("unsupported", {row["reason"] for row in rows})
        for row in rows:
            self.assertEqual(row["reason"] == "unsupported", row["rule"] != "none", row)

    def test_the_summary_counts_by_rule(self):
        unsupported = sum(cause["rows"] for cause in self.causes if cause["rule"])
        self.assertIn(f"unsupported {unsupported}", self.summary)
        self.assertRegex(self.summary, rf"\n +\d+  {NEEDS} \(tp, sequence_parallel, model\)\n")

    def test_causes_add_up_to_the_infeasible_rows(self):
        rows = csv.DictReader(io.StringIO(self.told("export", "mixture.h5", "--columns", "status")))
        self.assertEqual(sum(cause["rows"] for cause in self.causes), sum(row["status"] != "ok" for row in rows))
        counts = [cause["rows"] for cause in self.causes]
        self.assertEqual(counts, sorted(counts, reverse=True))

    def test_a_condition_chooses_rows(self):
        chosen = json.loads(self.told("top", "mixture.h5", "--infeasible", "--json", "--where", "sequence_parallel and tp > 1"))
        self.assertNotIn(NEEDS, " ".join(cause["text"] for cause in chosen["causes"]))

    def test_show_prints_the_rule_of_a_row(self):
        one = next(cause["one"] for cause in self.causes if cause["text"].startswith(NEEDS))
        self.assertIn(f"status infeasible, reason unsupported: {NEEDS} (tp, sequence_parallel, model)",
                      self.told("show", "mixture.h5", one))

    def test_python_says_the_same(self):
        import echo_sweep
        sweep = echo_sweep.open(self.folder / "mixture.h5")
        table = sweep.why_not()
        self.assertEqual(sorted(table["rows"]), sorted(cause["rows"] for cause in self.causes))
        why = sweep[next(cause["one"] for cause in self.causes if cause["text"].startswith(NEEDS))].why_not()
        self.assertEqual((why.rule, why.axes), (NEEDS, ("tp", "sequence_parallel", "model")))
        self.assertIn(NEEDS, str(why))

    def test_check_names_the_default_that_stands_in_the_way(self):
        text = self.told("check", "split.toml")
        self.assertIn('no point with schedule = "zb-h1" can run', text)
        self.assertIn("the framework's zero = 3 stands in the way; name zero = 0 in [space]", text)
        (self.folder / "named.toml").write_text(SPLIT + "zero = 0\n")
        self.assertNotIn("warning", self.told("check", "named.toml"))


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
