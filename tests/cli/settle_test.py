"""Which runs would settle a ranking, and what they change: `next`, `update`, and commands that read an updated file.

usage: settle_test.py ECHO_SWEEP
"""

import json
import math
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

SWEEP = """
schema = 1
[space]
model = "llama3-8b"
cluster = "dgx-h100-ndr400"
recipe = "nvidia-performance"
gpus = [16, 64]
tp = [1, 2, 4, 8]
pp = [1, 2, 4]
micro_batch = [1, 2]
sequence_parallel = true
global_batch = 256
[[objective]]
metric = "tokens_per_s_per_gpu"
goal = "max"
"""


NOISE = 0.014**2 + 0.02**2 / 16  # variance of a run of 16 steps


class Settle(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "s.toml").write_text(SWEEP)
        cls.told("s.toml", "-q")
        cls.best = cls.top("s.h5", "-n", "4")

    @classmethod
    def top(cls, *words):
        return json.loads(cls.told("top", *words, "--keep-order", "--json"))

    def table(self, *lines, header="id,step_time_s,steps"):
        (self.folder / "m.csv").write_text("\n".join((header, *lines)) + "\n")

    def update(self, *words, code=0):
        return self.run_program("update", "s.h5", "m.csv", *words, code=code)

    def row(self, place):
        return self.best["rows"][place]

    def measured(self, place, factor, steps=16):
        return f"{self.row(place)['config_id'][:10]},{self.row(place)['step_time'] * factor!r},{steps}"

    # --- next -----------------------------------------------------------------------------------------------------
    def test_next_says_runs_with_falling_regret_and_rising_chance(self):
        plan = json.loads(self.told("next", "s.h5", "--runs", "4", "--json"))
        self.assertEqual(plan["by"], "tokens_per_s_per_gpu")
        self.assertEqual(plan["chosen"], self.row(0)["config_id"])
        outlooks = [plan["before"]] + [run["after"] for run in plan["runs"]]
        self.assertEqual(len(outlooks), 5)
        self.assertLess(outlooks[-1]["expected_regret"], 0.5 * outlooks[0]["expected_regret"])
        self.assertGreater(outlooks[-1]["chance_best"], outlooks[0]["chance_best"])
        for run in plan["runs"]:
            steps = plan["warm_up_steps"] + plan["steps"]
            self.assertAlmostEqual(run["run_gpu_hours"], run["gpus"] * run["step_time"] * steps / 3600)
        self.assertEqual(len({run["config_id"] for run in plan["runs"]}), 4)

    def test_next_keeps_runs_small_and_choices_as_asked(self):
        plan = json.loads(self.told("next", "s.h5", "--where", "gpus == 64", "--max-gpus", "16", "--json"))
        self.assertTrue(plan["runs"])
        self.assertEqual({run["gpus"] for run in plan["runs"]}, {16})
        self.assertEqual(self.top("s.h5", "-n", "1", "--where", "gpus == 64")["rows"][0]["config_id"], plan["chosen"])
        self.assertIn("no ranked row runs on 8 GPUs or fewer", self.told("next", "s.h5", "--max-gpus", "8"))

    def test_more_precise_runs_take_more_steps(self):
        coarse, fine = (json.loads(self.told("next", "s.h5", "--precision", words, "--json"))["steps"]
                        for words in ("1 %", "0.002"))
        self.assertEqual((coarse, fine), (4, 100))

    def test_next_refuses_what_runs_cannot_settle(self):
        self.assertIn("say nothing of a ranking by gpus", self.run_program("next", "s.h5", "--by", "gpus", code=2).stderr)
        self.run_program("next", "s.h5", "--precision", "ten", code=2)
        self.run_program("next", "s.h5", "--runs", "0", code=2)
        self.run_program("next", "s.h5", "--where", "gpus == 7", code=3)
        self.run_program("next", "none.h5", code=2)

    def test_next_says_the_same_again(self):
        self.assertEqual(self.told("next", "s.h5"), self.told("next", "s.h5"))

    # --- update ---------------------------------------------------------------------------------------------------
    def covariances(self):
        """Of two rows, by the columns of the file: one GPU kind, cluster and framework."""
        before = {row["config_id"]: row for row in self.top("s.h5", "-n", "200")["rows"]}
        sources = [name for name in next(iter(before.values())) if name.startswith("error_")]
        scale = {key: row["rel_error_p90"] / row["rel_error"] / 1.2815515655446004 for key, row in before.items()}

        def covariance(a, b):
            shared = [name for name in sources if a == b or name != "error_layout"]
            return scale[a] * scale[b] * sum(before[a][name] * before[b][name] for name in shared)
        return before, covariance

    def known_by_two(self, first, third):
        """What runs of rows 0 and 2 tell of row 0, where they took so many times as long as predicted: the expected logarithm of
        its step over the predicted one, and the half-width of the 80 % band that remains."""
        _, covariance = self.covariances()
        a, b = (self.row(place)["config_id"] for place in (0, 2))
        aa, ab, bb = covariance(a, a), covariance(a, b), covariance(b, b)
        x, y = math.log(first), math.log(third)
        determinant = (aa + NOISE) * (bb + NOISE) - ab * ab
        of_runs = [[(bb + NOISE) / determinant, -ab / determinant], [-ab / determinant, (aa + NOISE) / determinant]]
        form = lambda u, v: sum(u[i] * of_runs[i][j] * v[j] for i in (0, 1) for j in (0, 1))
        # Student's t of four degrees of freedom, which two runs make one of six (src/settle/conditioning.cpp)
        z90, before, after = 1.2815515655446004, 1.5332062740589438, 1.4397557472652048
        widened = (4 + form((x, y), (x, y)) * (before / z90) ** 2) / 6
        left = aa - form((aa, ab), (aa, ab))
        return form((aa, ab), (x, y)), z90 * math.sqrt(left * widened) * after / before

    def test_the_ranking_follows_the_runs_and_the_rows_stay(self):
        self.table(self.measured(0, 1.2), self.measured(2, 0.97))
        self.update()
        after = self.top("s.updated.h5", "-n", "200")
        rows = {row["config_id"]: row for row in after["rows"]}
        self.assertEqual(after["measured_runs"], 2)
        first, third = (rows[self.row(place)["config_id"]] for place in (0, 2))
        shift, band = self.known_by_two(1.2, 0.97)
        self.assertAlmostEqual(math.log(first["step_time"] / self.row(0)["step_time"]), shift, places=6)
        self.assertAlmostEqual(first["rel_error_p90"], band, places=6)
        self.assertAlmostEqual(first["tokens_per_s_per_gpu"] * first["step_time"],
                               self.row(0)["tokens_per_s_per_gpu"] * self.row(0)["step_time"],
                               delta=1e-6 * first["tokens_per_s_per_gpu"] * first["step_time"])
        self.assertEqual(after["rows"][0]["config_id"], third["config_id"])
        values = [row["tokens_per_s_per_gpu"] for row in after["rows"]]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertIn("conditioned on 2 measured runs", self.told("top", "s.updated.h5"))
        self.assertIn("conditioned on 2 measured runs", self.told("top", "s.updated.h5", "--pareto"))
        for word in ("rows", "digest"):
            self.assertIn(word, self.told("verify", "s.updated.h5"))
        self.assertEqual(*(self.told("export", file, "--columns", "config_id,step_time,mfu,rel_error")
                           for file in ("s.h5", "s.updated.h5")))
        self.assertIn("after 2 measured runs", self.told("show", "s.updated.h5", first["config_id"]))

    def test_every_row_moves_by_what_it_shares(self):
        """The arithmetic again in a few lines: one run tells of row r its covariance with it over its variance."""
        self.table(self.measured(0, 1.1))
        self.update("-o", "one.h5")
        before, covariance = self.covariances()
        after = {row["config_id"]: row for row in self.top("one.h5", "-n", "200")["rows"]}
        run = self.row(0)["config_id"]
        for key, row in before.items():
            shift = covariance(key, run) / (covariance(run, run) + NOISE) * math.log(1.1)
            self.assertAlmostEqual(math.log(after[key]["step_time"] / row["step_time"]), shift, places=6)

    def test_the_file_says_what_was_measured_to_any_reader(self):
        try:
            import h5py
        except ImportError:
            print("SKIPPED: h5py is not installed")
            self.skipTest("h5py is not installed")
        self.table(self.measured(0, 1.1), self.measured(1, 1.0))
        self.update("-o", "two.h5")
        with h5py.File(self.folder / "two.h5") as file, h5py.File(self.folder / "s.h5") as old:
            group = file["measured"]
            self.assertEqual(group["explained"].shape, (len(file["config"]), 2))
            self.assertEqual(list(group["steps"]), [16, 16])
            self.assertEqual(file.attrs["rows_digest"], old.attrs["rows_digest"])
            for name in ("step_time", "rel_error", "config_id"):
                self.assertEqual(file[name][...].tobytes(), old[name][...].tobytes())
            self.assertIn("spread", group.attrs["description"])
            self.assertIn("pareto", file)

    def test_updating_again_adds_runs_and_the_order_does_not_matter(self):
        lines = [self.measured(0, 1.1), self.measured(1, 0.95)]
        self.table(*lines)
        self.update("-o", "both.h5")
        self.table(lines[0])
        self.update("-o", "a.h5")
        self.table(lines[1])
        self.run_program("update", "a.h5", "m.csv", "-o", "a.h5")  # in its own place
        self.assertIn("conditioned on 2 measured runs", self.told("top", "a.h5"))
        for one, other in zip(self.top("both.h5", "-n", "50")["rows"], self.top("a.h5", "-n", "50")["rows"]):
            self.assertEqual(one["config_id"], other["config_id"])
            self.assertAlmostEqual(one["step_time"], other["step_time"], places=9)
        self.told("verify", "a.h5")
        self.assertIn("measured twice", self.run_program("update", "a.h5", "m.csv", code=2).stderr)

    def test_next_asks_for_other_runs_after_an_update(self):
        asked = json.loads(self.told("next", "s.h5", "--runs", "2", "--json"))
        self.table(*(f"{run['config_id']},{run['step_time']},16" for run in asked["runs"]))
        self.update("-o", "asked.h5")
        more = json.loads(self.told("next", "asked.h5", "--runs", "2", "--json"))
        self.assertLess(more["before"]["expected_regret"], asked["before"]["expected_regret"])
        self.assertFalse({run["config_id"] for run in asked["runs"]} & {run["config_id"] for run in more["runs"]})

    def test_rows_are_found_by_inputs_and_times_by_their_unit(self):
        row = self.row(0)
        names = ["gpus", "tp", "pp", "micro_batch"]
        cells = ",".join(str(row[name]) for name in names)
        results = []
        for header, cell in (("step_time_s", row["step_time"] * 1.1), ("step_time_ms", row["step_time"] * 1100),
                             ("step_time", f"{row['step_time'] * 1100!r} ms")):
            self.table(f"{cells},{cell},a note", header=",".join(["num_gpus", *names[1:], header, "note"]))
            results.append(json.loads(self.update("--json").stdout)["runs"][0])
        self.assertEqual({one["config_id"] for one in results}, {row["config_id"]})
        for one in results:
            self.assertAlmostEqual(one["expected"], results[0]["expected"], places=9)

    def test_mistakes_are_all_named_at_their_places_and_nothing_is_written(self):
        (self.folder / "s.updated.h5").unlink(missing_ok=True)
        self.table("zzz,1,4", self.measured(0, 1.0), self.measured(0, 1.0), self.measured(1, 1000.0),
                   f"{self.row(2)['config_id']},fast,1.5", ",1,1")
        said = self.update(code=2).stderr
        for place, what in (("2:1", "no row of the file has the id"), ("4:1", "is measured twice: here and in line 3"),
                            ("5:12", "times the"), ("6:18", "is not a number of seconds"),
                            ("6:23", "is no number of steps"), ("7:1", "does not say which row")):
            self.assertRegex(said, rf"(?m)^m\.csv:{place}: error: .*{what}", what)
        self.assertFalse((self.folder / "s.updated.h5").exists())
        for header, what in (("id,step_time_s,step_time_ms", "several columns have the measured step time"),
                             ("id,steps", "no column has the measured step time"),
                             ("step_time_s", "no column says which rows"), ("id,tpp,step_time_s", 'no input "tpp"'),
                             ("id,step_time_h", 'no input "step_time_h"')):
            self.table(",".join("1" for _ in header.split(",")), header=header)
            self.assertIn(what, self.update(code=2).stderr)
        self.table(header="id,step_time_s")
        self.assertIn("no rows", self.update(code=2).stderr)
        self.table(f"{self.row(0)['config_id']},2", header="id,step_time")
        self.assertIn("needs a unit", self.update(code=2).stderr)
        self.table("64,1,1 s", header="gpus,pp,step_time")
        self.assertRegex(self.update(code=2).stderr, r"\d+ feasible rows of the file have these inputs")


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
