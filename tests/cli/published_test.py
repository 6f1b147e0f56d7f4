"""The cited steps of sweeps/published, publication by publication: their errors are what they were.

usage: published_test.py ECHO_SWEEP     ECHO_UPDATE_GOLDEN=1 writes the errors anew; say in the commit why they moved.

The bounds do not say that predictions are good, but that they did not change unnoticed: the errors that were written
down, and 0.2 points about them. A constant or mechanism that moves a publication by more breaks the test.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
STEPS = SOURCE / "sweeps/published/steps.csv"
ERRORS = SOURCE / "tests/golden/published_errors.csv"
COLUMNS = ["source", "rows", "median_ape", "mean_ape", "bias"]
POINTS = 0.002


def run(*words):
    done = subprocess.run([PROGRAM, "validate", STEPS, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def found():
    told = json.loads(run("--json", "--expect", "all"))
    groups = {**told["by"]["source"], "all": told}
    return [{"source": name, "rows": errors["scored"], **{key: round(errors[key], 4) for key in COLUMNS[2:]}}
            for name, errors in groups.items()]


class Published(unittest.TestCase):
    def test_errors_of_every_publication_are_what_they_were(self):
        if os.environ.get("ECHO_UPDATE_GOLDEN"):
            with open(ERRORS, "w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(found())
            return
        with open(ERRORS, newline="") as file:
            expected = list(csv.DictReader(file))
        self.assertGreater(len(expected), 10)
        told = found()
        self.assertEqual([(row["source"], str(row["rows"])) for row in told], [(row["source"], row["rows"]) for row in expected])
        for now, then in zip(told, expected):
            for key in COLUMNS[2:]:
                with self.subTest(source=now["source"], of=key):
                    self.assertAlmostEqual(now[key], float(then[key]), delta=POINTS)

    def test_rows_are_few_cited_and_spread_over_publications(self):
        with open(STEPS, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertTrue(30 <= len(rows) <= 60)
        per_source = {}
        for row in rows:
            per_source[row["source"]] = per_source.get(row["source"], 0) + 1
            # A document and a place in it: a table, a path in a repository, a named benchmark.
            self.assertRegex(row["reference"], r"arXiv:\d{4}\.\d{5} Tables? \d|/|Playbook", row["row_id"])
            self.assertGreater(float(row["step_time_s"]), 0)
        self.assertLessEqual(max(per_source.values()), 6)
        self.assertGreaterEqual(len(per_source), 12)

    def test_every_row_is_scored(self):
        told = json.loads(run("--json"))
        self.assertEqual((told["scored"], told["skipped"]), (told["rows"], {}))

    def test_the_accuracy_table_is_one_command(self):
        lines = run("--by", "source", "--markdown").splitlines()
        self.assertEqual(lines[0], "| source | rows | median | mean | p90 | max | bias |")
        self.assertRegex(lines[-2], r"^\| all \| \d+ \| ")
        for line in lines[2:-1]:
            self.assertTrue(re.fullmatch(r"\|( [^|]+ \|){7}", line), line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
