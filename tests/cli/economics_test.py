"""[economics] from the sweep file to the summary: what cost and energy need, what is said where they are unknown.

usage: economics_test.py ECHO_SWEEP
"""

import json
import math
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

SWEEP = """
schema = 1
[target]
tokens = "1T tokens"
[space]
model = "llama3-8b"
cluster = ["dgx-h100-ndr400", "dgx-a100-hdr200"]
recipe = "nvidia-performance"
gpus = 64
tp = [2, 4]
global_batch = 512
zero = 1
"""
PRICES = '\n[economics]\ngpu_hour = { h100-sxm = "2 USD", a100-sxm-80gb = "1 USD" }\n'
COST = '\n[[objective]]\nmetric = "cost"\n'


class Economics(ProgramCase):
    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def rows(self, text, name="sweep"):
        self.write(f"{name}.toml", text)
        done = self.start(f"{name}.toml", "-q", "--fresh")
        self.assertIn(done.returncode, (0, 3), done.stderr)  # 3: no row is feasible
        told = self.start("top", f"{name}.h5", "--json", "-n", "100", "--per", "cluster")
        return done.stdout, json.loads(told.stdout)["rows"]

    def refused(self, text):
        self.write("wrong.toml", text)
        done = self.start("wrong.toml", "-q")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertFalse((self.folder / "wrong.h5").exists())
        return done.stderr

    def test_a_row_costs_its_gpu_hours_at_the_price_of_its_gpu(self):
        summary, rows = self.rows(SWEEP + PRICES + COST)
        self.assertIn("by cost", summary)
        self.assertRegex(summary, r"training of #1: [\d.]+ d \(.* GPU-hours, [\d ]+ \(.*\) USD, [\d.]+ MWh")
        self.assertEqual({row["cluster"] for row in rows}, {"dgx-h100-ndr400", "dgx-a100-hdr200"})
        for row in rows:
            price = 2.0 if row["gpu"] == "h100-sxm" else 1.0
            self.assertAlmostEqual(row["cost"], price * row["train_time"] / 3600 * row["gpus"], delta=1e-6 * row["cost"])
            self.assertTrue(row["energy"] > 0 and row["gpu_power"] < 700)
            self.assertIsNone(row["carbon"])

    def test_without_a_price_the_cost_is_unknown_and_the_summary_says_why(self):
        summary, rows = self.rows(SWEEP)
        self.assertIn("cost unknown: no price is given ([economics] gpu_hour)", summary)
        self.assertTrue(all(row["cost"] is None for row in rows))
        summary, rows = self.rows(SWEEP + '\n[economics]\ngpu_hour = { a100-sxm-80gb = "1 USD" }\n')
        for row in rows:
            self.assertEqual(row["cost"] is None, row["gpu"] == "h100-sxm")

    def test_electricity_and_carbon_are_those_of_the_site(self):
        more = 'electricity = "0.1 USD/kWh"\ncarbon = "400 g/kWh"\npue = 1.5\n'
        _, plain = self.rows(SWEEP + PRICES, "plain")
        _, rows = self.rows(SWEEP + PRICES + more, "site")
        self.assertEqual(len(rows), len(plain))
        for row, before in zip(rows, plain):
            kwh = row["energy"] / 3.6e6 * 1.5
            self.assertTrue(math.isclose(row["carbon"], 0.4 * kwh, rel_tol=1e-9))
            self.assertTrue(math.isclose(row["cost"], before["cost"] + 0.1 * kwh, rel_tol=1e-9))

    def test_another_price_is_another_sweep(self):
        self.rows(SWEEP + PRICES, "keyed")
        (self.folder / "keyed.toml").write_text(SWEEP + PRICES.replace("2 USD", "3 USD"))
        done = self.start("keyed.toml", "-q")
        self.assertNotEqual(done.returncode, 0)

    def test_what_a_metric_needs_is_asked_for_in_one_pass(self):
        text = self.refused(SWEEP.replace('[target]\ntokens = "1T tokens"\n', "") + COST)
        self.assertIn("cost needs the length of the training", text)
        self.assertIn("cost needs the price of a GPU-hour of h100-sxm", text)
        self.assertIn("cost needs the price of a GPU-hour of a100-sxm-80gb", text)
        text = self.refused(SWEEP + COST + '\n[economics]\ngpu_hour = { h100-sxm = "2 USD" }\n')
        self.assertNotIn("h100-sxm", text.replace("{ a100-sxm-80gb", ""))
        self.assertIn("wrong.toml:15:11", text)
        text = self.refused(SWEEP + '\n[[limit]]\nmetric = "carbon"\nmax = "3 t"\n')
        self.assertIn("carbon needs the carbon of the site's electricity", text)

    def test_slips_are_told_with_their_place(self):
        for line, told in [
            ('gpu_hour = { h100-sxn = "2 USD" }', 'did you mean "h100-sxm"?'),
            ('gpu_hour = "2"', "this is no price of a GPU-hour"),
            ('gpu_hour = 2', "this is no price of a GPU-hour"),
            ('gpu_hour = "-2 USD"', "this is no price of a GPU-hour"),
            ('gpu_hour = { h100-sxm = "2 USD", a100-sxm-80gb = "1 EUR" }', "this price is in EUR, an earlier one in USD"),
            ('gpu_hour = "2 USD"\nelectricity = "0.1 EUR/kWh"\npue = 1.1', "this price is in EUR, an earlier one in USD"),
            ('electricity = "0.1 USD"\npue = 1.1', "this is no price of electricity"),
            ('electricity = "0.1 USD/kWh"', "electricity needs the PUE of the site"),
            ('carbon = "0.4 kg/kWh"', "carbon needs the PUE of the site"),
            ('carbon = "0.4 kg"\npue = 1.1', "this is no carbon per kWh"),
            ("pue = 0.9", "pue"),
            ('gpu_hours = "2 USD"', 'did you mean "gpu_hour"?'),
        ]:
            with self.subTest(line):
                text = self.refused(SWEEP + "\n[economics]\n" + line + "\n")
                self.assertIn(told, text)
                self.assertRegex(text, r"wrong\.toml:1[3-7]:\d+")

    def test_limits_take_units_and_the_currency(self):
        limits = '\n[[limit]]\nmetric = "cost"\nmax = "1 USD"\n'
        summary, rows = self.rows(SWEEP + PRICES + limits + COST)
        self.assertEqual(rows, [])
        self.assertIn("limit cost", summary)
        _, rows = self.rows(SWEEP + PRICES + limits.replace("1 USD", "1 M USD") + COST)
        self.assertGreater(len(rows), 1)
        energy = '\n[[limit]]\nmetric = "energy"\nmax = "1 kWh"\n[[limit]]\nmetric = "gpu_power"\nmax = "700 W"\n'
        _, rows = self.rows(SWEEP + energy)
        self.assertEqual(rows, [])
        self.assertIn("needs a unit", self.refused(SWEEP + energy.replace("1 kWh", "1")))
        self.assertIn("unknown unit", self.refused(SWEEP + PRICES + limits.replace("1 USD", "1 EUR")))

    def test_where_and_by_take_the_new_metrics(self):
        self.rows(SWEEP + PRICES + COST, "named")
        for words in (["--by", "energy"], ["--by", "tokens_per_cost"], ["--where", "energy < 1 GWh and cost > 5"]):
            done = self.start("top", "named.h5", *words)
            self.assertEqual(done.returncode, 0, done.stderr)


class CheapestQuestion(ProgramCase):
    """sweeps/questions/cheapest-8b-2t-tokens.toml: one answer, with its uncertainty, and prices in one line."""

    QUESTION = ROOT / "sweeps/questions/cheapest-8b-2t-tokens.toml"

    def test_it_answers_within_the_deadline_and_follows_the_prices(self):
        text = self.QUESTION.read_text()
        self.assertEqual(len([line for line in text.splitlines() if line.startswith("gpu_hour")]), 1)
        done = self.start(str(self.QUESTION), "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("best of llama3-8b by cost", done.stdout)
        self.assertRegex(done.stdout, r"training of #1: [\d.]+ d \([\d.]+ d to [\d.]+ d\), [\d ]+ GPU-hours, [\d ]+ \(")
        best = self.best("cheapest-8b-2t-tokens.h5")
        self.assertLessEqual(best["train_time"], 20 * 86400)
        cheap = text.replace("4.20 USD", "0.10 USD").replace('name   = "cheap', 'name   = "other-cheap')
        (self.folder / "cheap.toml").write_text(cheap)
        self.assertEqual(self.start("cheap.toml", "-q").returncode, 0)
        self.assertEqual(self.best("other-cheapest-8b-2t-tokens.h5")["gpu"], "b200-sxm")

    def best(self, file):
        return json.loads(self.start("top", file, "--json", "-n", "1").stdout)["rows"][0]


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
