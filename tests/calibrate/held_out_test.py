"""Publications predicted by constants that did not see them; what a framework is without its habits. On the published
steps of the repository.

usage: held_out_test.py ECHO_CALIBRATE ECHO_SWEEP
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

calibrate, sweep = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
table = pathlib.Path(__file__).resolve().parents[2] / "sweeps" / "published" / "steps.csv"


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def rows_of(path):
    with open(path, newline="") as file:
        return {row["row"]: row for row in csv.DictReader(file)}


class HeldOut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            unseen, shipped = pathlib.Path(folder) / "unseen.csv", pathlib.Path(folder) / "shipped.csv"
            run(calibrate, "held-out", "--table", table, "--out", unseen)
            run(sweep, "validate", table, "--csv", shipped)
            cls.unseen, cls.shipped = rows_of(unseen), rows_of(shipped)

    def of(self, source):
        return [row for row in self.unseen.values() if row["source"] == source]

    def test_every_scored_row_is_predicted_as_validate_does(self):
        scored = {name: row for name, row in self.shipped.items() if row["status"] == "ok"}
        self.assertEqual(set(scored), set(self.unseen))
        for name, row in self.unseen.items():
            self.assertAlmostEqual(float(row["shipped"]) / float(scored[name]["predicted"]), 1.0, places=4)

    def test_a_publication_that_no_constant_saw_is_predicted_alike(self):
        for source in ("korthikanti22", "zero-bubble", "internevo"):
            for row in self.of(source):
                self.assertEqual(row["predicted"], row["shipped"], row["row"])

    def test_one_that_constants_were_read_off_is_not(self):
        for source in ("nanotron-playbook", "dgxc-benchmarking", "simumax"):
            self.assertTrue(any(row["predicted"] != row["shipped"] for row in self.of(source)), source)


class Ablation(unittest.TestCase):
    def test_a_step_without_its_host_time_is_no_longer(self):
        printed = run(calibrate, "ablation", "--table", table)
        section = re.search(r"^nanotron\n((?:  .*\n)+)", printed, re.M).group(1)
        bias = {name: float(value) for name, value in
                re.findall(r"^  (\S.*?) +\d+ rows .* bias +([+-][\d.]+) %$", section, re.M)}
        self.assertLess(bias["without host_per_kernel"], bias["as shipped"])
        self.assertLessEqual(bias["without kernel_gap"], bias["as shipped"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
