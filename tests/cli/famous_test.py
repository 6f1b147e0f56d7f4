"""The famous runs of sweeps/published: which of them are inside the 80 % band of their prediction.

usage: famous_test.py ECHO_SWEEP     ECHO_UPDATE_GOLDEN=1 writes the list anew; say in the commit what moved and why.

Configurations and facts were written down before any of the runs was predicted with them, and nothing was tuned to them. Asked
were 8 of the 10 runs that ASKED names; the test holds the number that is reached, and the list says by how much each misses.
"""

import csv
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
RUNS = SOURCE / "sweeps/published/famous_runs.csv"
LIST = SOURCE / "tests/golden/famous_runs.csv"
COLUMNS = ["row", "setting", "error", "band", "inside"]
POINTS = 0.005

# The ten runs, by the beginnings of their rows; one of several rows is inside where most of them are.
ASKED = ["llama3-405b-8k", "llama3-405b-131k", "mt-nlg", "nemotron4-340b", "deepseek-v3", "olmo2-32b", "megatron-1t",
         "dgxc-v25.05.05-Llama4", "mbridge-26.06-Qwen3", "mbridge-26.04.01-GPTOSS"]
REACHED_OF_ASKED = 9
REACHED_OF_ALL = 18


def predicted(*words):
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "rows.csv"
        done = subprocess.run([PROGRAM, "validate", RUNS, "--csv", rows, *words], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        with open(rows, newline="") as file:
            return list(csv.DictReader(file))


def found():
    out = []
    for row in predicted():
        band, error = float(row["rel_error_p90"]), math.log(float(row["ratio"]))
        out.append({"row": row["row"], "setting": row["setting"], "error": f"{error:.3f}", "band": f"{band:.3f}",
                    "inside": int(abs(error) <= band)})
    return out


class FamousRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.now = found()
        if os.environ.get("ECHO_UPDATE_GOLDEN"):
            with open(LIST, "w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(cls.now)
        with open(LIST, newline="") as file:
            cls.then = list(csv.DictReader(file))

    def test_errors_and_bands_are_what_they_were(self):
        self.assertEqual([(row["row"], row["setting"]) for row in self.now],
                         [(row["row"], row["setting"]) for row in self.then])
        for now, then in zip(self.now, self.then):
            with self.subTest(row=now["row"]):
                self.assertAlmostEqual(float(now["error"]), float(then["error"]), delta=POINTS)
                self.assertAlmostEqual(float(now["band"]), float(then["band"]), delta=POINTS)

    def test_as_many_of_the_ten_are_inside_their_band_as_were(self):
        inside = 0
        for name in ASKED:
            rows = [row["inside"] for row in self.now if row["row"].startswith(name)]
            self.assertTrue(rows, name)
            inside += 2 * sum(rows) > len(rows)
        self.assertGreaterEqual(inside, REACHED_OF_ASKED)

    def test_as_many_of_all_are_inside_as_were(self):
        self.assertGreaterEqual(sum(row["inside"] for row in self.now), REACHED_OF_ALL)

    def test_no_run_is_faster_or_surer_in_production(self):
        alone, run = predicted("--setting", "benchmark"), predicted("--setting", "production")
        for before, after in zip(alone, run):
            self.assertGreater(float(after["predicted"]), float(before["predicted"]), after["row"])
            seconds = [float(row["predicted"]) * float(row["rel_error_p90"]) for row in (before, after)]
            self.assertGreater(seconds[1], seconds[0], after["row"])

    def test_every_row_states_its_setting_and_a_document(self):
        with open(RUNS, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertGreaterEqual(len(rows), 20)
        for row in rows:
            self.assertIn(row["setting"], ("benchmark", "production"), row["row_id"])
            self.assertRegex(row["reference"], r"arXiv:\d{4}\.\d{5}|/", row["row_id"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
