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

    def ways(self, *words):
        return json.loads(self.told("why-not", "mixture.h5", *words, "--json"))

    def test_the_change_that_is_named_makes_the_row_feasible(self):
        one = next(cause["one"] for cause in self.causes if cause["text"].startswith(NEEDS))
        found = self.ways(one)
        self.assertFalse(found["feasible"])
        self.assertEqual(found["remark"], "")
        best = found["ways"][0]
        sets = [f"{change['axis']}={change['to']}" for change in best["changes"]]
        again = self.ways(one, "--set", ",".join(sets))
        self.assertTrue(again["feasible"])
        self.assertEqual(again["config_id"], best["config_id"])
        text = self.told("why-not", "mixture.h5", one)
        self.assertIn(f"unsupported: {NEEDS}", text)
        self.assertIn(", ".join(f"{c['axis']} {c['from']} -> {c['to']}" for c in best["changes"]), text)

    def test_plan_counts_the_same_before_anything_runs(self):
        rows = [row["rule"] for row in csv.DictReader(io.StringIO(
            self.told("export", "mixture.h5", "--columns", "rule", "--where", "tp == 2"))) if row["rule"] != "none"]
        fate = json.loads(self.told("plan", "mixture.toml", "--why", "tp=2", "--json"))["why"]
        counts = sorted(rows.count(rule) for rule in set(rows))
        self.assertGreater(len(counts), 1)
        self.assertEqual(sorted(one["combinations"] for one in fate["unsupported"]), counts)
        self.assertIn(f"unsupported: {fate['unsupported'][0]['rule']}", self.told("plan", "mixture.toml", "--why", "tp=2"))

    def test_a_point_outside_the_file(self):
        self.assertTrue(self.ways("--set", "tp=8,sequence_parallel=true", "--set", "pp=1")["feasible"])
        removed = self.ways("--set", "tp=3")
        self.assertFalse(removed["feasible"])
        self.assertEqual(removed["causes"], ["derive dp: no whole number follows from the other axes"])
        self.assertIn("96 GPUs", self.told("why-not", "mixture.h5", "--set", "dp=48,tp=2,pp=1,sequence_parallel=true"))
        torn = self.ways("--set", "dp=3", "--set", "gpus=64")
        self.assertEqual(torn["causes"], ["it contradicts gpus == tp * pp * cp * dp"])

    def test_rows_of_a_shipped_sweep_have_their_rule_and_are_points_of_it(self):
        self.told(str(ROOT / "sweeps/gpt3-175b-96xh800.toml"), "-q", "-o", "gpt3.h5")
        rows = list(csv.DictReader(io.StringIO(
            self.told("export", "gpt3.h5", "--columns", "config_id,reason,rule", "--where", "status == 'infeasible'"))))
        unsupported = [row for row in rows if row["reason"] == "unsupported"]
        self.assertGreater(len(unsupported), 1000)
        self.assertTrue(all(row["rule"] != "none" for row in unsupported))
        for row in rows[::1500]:
            found = json.loads(self.told("why-not", "gpt3.h5", row["config_id"], "--json"))
            self.assertEqual((found.get("config_id"), found["remark"]), (row["config_id"], ""))

    def test_a_limit_is_a_cause_and_its_nearest_change_keeps_it(self):
        (self.folder / "limited.toml").write_text(MIXTURE + '[[limit]]\nname = "soon"\nmetric = "step_time"\nmax = "4 s"\n')
        self.start("limited.toml", "-q")
        rows = csv.DictReader(io.StringIO(self.told("export", "limited.h5", "--where", "reason == 'limit'")))
        row = next(rows, None)
        self.assertIsNotNone(row, "no row is past the limit")
        found = json.loads(self.told("why-not", "limited.h5", row["config_id"], "--json"))
        self.assertRegex(found["causes"][0], "limit soon: .* beyond it")
        self.assertTrue(found["ways"])
        self.assertTrue(all(way["step_time"] <= 4.0 for way in found["ways"]))

    def test_the_file_keeps_the_nearest_change_of_each_cause(self):
        import echo_sweep
        sweep = echo_sweep.open(self.folder / "mixture.h5")
        table = sweep.why_not()
        self.assertIn("smallest changes that make them feasible", self.told("top", "mixture.h5", "--infeasible"))
        kept = [(one, change) for one, change in zip(table["one"], table["change"]) if change]
        self.assertTrue(kept)
        for one, change in kept:
            best = self.ways(one)["ways"][0]
            named = ", ".join(f"{c['axis']} {c['from']} -> {c['to']}" for c in best["changes"])
            self.assertEqual(named, change)
            self.assertEqual(sweep[one].why_not().nearest["step_time"], best["step_time"])

    def test_wrong_questions_are_refused(self):
        for words, text in ((["--set", "tp=99,foo=2"], 'there is no axis "foo"'), ([], "which point?"),
                            (["--set", "schedule=nonsense"], 'unknown schedule "nonsense"'),
                            (["--set", "tp=[1,2]"], "tp needs one value"), (["0", "--also", "foo"], 'there is no axis "foo"')):
            done = self.run_program("why-not", "mixture.h5", *words, code=2)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
