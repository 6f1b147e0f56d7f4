"""Hardware as it might be (`--set cluster.nic_rate=800Gb/s`), and where the winner changes over it (`break-even`).

usage: what_if_test.py ECHO_SWEEP
"""

import csv
import io
import json
import pathlib
import sys
import unittest

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

SWEEP = """
schema = 1
name = "two-machines"
[target]
tokens = "300 B tokens"
[economics]
gpu_hour = { h100-sxm = "2 USD", h200-sxm = "2.1 USD" }
[space]
model = "llama2-13b"
cluster = ["dgx-h100-ndr400", "dgx-h200"]
global_batch = "2 Mi tokens"
seq_len = 4096
gpus = [32, 64]
tp = [1, 2, 4, 8]
pp = [1, 2]
micro_batch = [1, 2]
recompute = ["none", "full"]
[derive]
dp = "gpus / (tp * pp)"
"""
WIDE = """
schema = 1
name = "wide"
seed = 7
[space]
model = ["qwen3-30b-a3b", "llama3-8b"]
cluster = ["dgx-h100-ndr400", "dgx-h100-roce400", "dgx-a100-hdr200", "dgx-h100-torus-ndr400",
           "dgx-h100-fattree3-4to1-ndr400", "dgx-b200"]
gpus = [16, 64, 256]
tp = [1, 2, 4, 8]
pp = [1, 2, 4]
ep = [1, 4, 8]
etp = 1
sequence_parallel = true
zero = [0, 1, 2]
schedule = ["1f1b", "gpipe"]
recompute = ["none", "full"]
micro_batch = [1, 2, 4]
global_batch = 256
[search]
strategy = "random"
points = 600
"""
FIELDS = {
    "gpu": ("hbm_bandwidth", "hbm_capacity", "flops", "host_link"),
    "cluster": ("nic_rate", "nvlink_rate", "hop_latency", "nvlink_latency", "host_memory_bandwidth"),
}
WHAT_IF = 5  # code of evidence


class WhatIf(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "s.toml").write_text(SWEEP)
        cls.base = cls.simulate("base.h5")

    @classmethod
    def simulate(cls, name, *sets, sweep="s.toml"):
        words = [word for one in sets for word in ("--set", one)]
        cls.start(sweep, "-q", "--fresh", "-o", name, *words).check_returncode()
        with h5py.File(cls.folder / name) as file:
            return {key: file[key][...] for key in file if isinstance(file[key], h5py.Dataset)}

    def compare(self, rows):
        """The columns that are not the base's, byte for byte."""
        return [key for key in self.base if key not in rows or self.base[key].tobytes() != rows[key].tobytes()]

    def require_what_if(self, rows):
        timed = ~np.isnan(rows["step_time"])
        self.assertTrue(timed.any())
        self.assertEqual(set(rows["evidence"][timed]), {WHAT_IF})

    def test_a_factor_of_one_changes_nothing_but_the_grade(self):
        sets = [f"{kind}.{field}=x1.0" for kind, fields in FIELDS.items() for field in fields]
        rows = self.simulate("one.h5", *sets)
        self.assertEqual(self.compare(rows), ["evidence"])
        self.require_what_if(rows)

    def test_the_present_values_change_nothing_but_the_grade(self):
        rows = self.simulate(
            "same.h5", "cluster.nic_rate=400Gb/s", "clusters.dgx-h200.hop_latency=130 ns",
            "gpus.h100-sxm.hbm_bandwidth=3352 GB/s", "gpus.h200-sxm.flops=989.4 TFLOP/s",
            "gpus.h100-sxm.hbm_capacity=79.11 GiB")
        self.assertEqual(self.compare(rows), ["evidence"])
        self.require_what_if(rows)

    def test_better_hardware_never_slows_a_step(self):
        base = self.base["step_time"]
        for kind, fields in FIELDS.items():
            for field in fields:
                better = "x0.5" if field.endswith("latency") else "x2"
                rows = self.simulate(f"{field}.h5", f"{kind}.{field}={better}")
                timed = ~np.isnan(base)
                self.assertLessEqual(np.max(rows["step_time"][timed] / base[timed]), 1.0, field)
        for field in ("gpu.hbm_bandwidth", "gpu.flops", "cluster.nic_rate", "cluster.nvlink_rate"):
            rows = self.simulate("worse.h5", f"{field}=x0.5")
            self.assertGreater(np.nanmax(rows["step_time"] / base), 1.001, field)

    def test_better_hardware_never_slows_a_step_of_random_layouts(self):
        (self.folder / "wide.toml").write_text(WIDE)
        roomy = "gpu.hbm_capacity=x8"  # so that steps are timed
        base = self.simulate("wide.h5", roomy, sweep="wide.toml")["step_time"]
        timed = ~np.isnan(base)
        self.assertGreater(timed.sum(), 200)
        for field in ("gpu.hbm_bandwidth", "gpu.flops", "cluster.nic_rate", "cluster.nvlink_rate"):
            for factor in (1.1, 4):
                rows = self.simulate("wide-better.h5", roomy, f"{field}=x{factor}", sweep="wide.toml")
                worst = np.max(rows["step_time"][timed] / base[timed])
                self.assertLessEqual(worst, 1.0, f"{field} x{factor}")

    def test_more_memory_makes_more_rows_feasible_and_none_slower(self):
        rows = self.simulate("roomy.h5", "gpu.hbm_capacity=x2")
        self.assertLess((self.base["status"] == 0).sum(), (rows["status"] == 0).sum())
        timed = ~np.isnan(self.base["step_time"])
        np.testing.assert_array_equal(rows["step_time"][timed], self.base["step_time"][timed])

    def test_one_kind_changes_alone(self):
        rows = self.simulate("h200.h5", "gpus.h200-sxm.hbm_bandwidth=x1.5")
        changed = rows["step_time"] < self.base["step_time"]
        own = rows["cluster"] == rows["cluster"][np.flatnonzero(changed)[0]]
        timed = ~np.isnan(self.base["step_time"])
        np.testing.assert_array_equal(changed, own & timed)
        self.assertEqual(set(rows["evidence"][timed & ~own]), set(self.base["evidence"][timed & ~own]))
        # A named kind goes before all kinds.
        both = self.simulate("both.h5", "gpu.hbm_bandwidth=x2", "gpus.h200-sxm.hbm_bandwidth=x1.5")
        np.testing.assert_array_equal(both["step_time"][own], rows["step_time"][own])
        # Nobody knows the power of a GPU that does not exist.
        self.assertTrue(np.isnan(rows["gpu_power"][own]).all())
        self.assertFalse(np.isnan(self.base["gpu_power"][own & timed]).any())

    def test_the_errors_of_changed_hardware_are_wider(self):
        rows = self.simulate("nic.h5", "cluster.nic_rate=390Gb/s", "gpu.flops=x1.01")
        for source, share in (("scale_out", "sens_scale_out"), ("arithmetic", "sens_flops")):
            counts = (self.base[share] > 0.02) & (rows[share] > 0.02)  # of the step that depends on it
            self.assertTrue(counts.any())
            of_share = [one[f"error_{source}"][counts] / one[share][counts] for one in (rows, self.base)]
            self.assertGreater(np.min(of_share[0] / of_share[1]), 1.02, source)

    def test_provenance_and_show_have_the_what_if(self):
        self.simulate("kept.h5", "cluster.nic_rate=800Gb/s")
        with h5py.File(self.folder / "kept.h5") as file:
            text = file["/provenance/resolved_toml"][()].decode()
            keys = dict(file.attrs)
        self.assertIn("nic_rate = '800Gb/s'", text)
        self.assertIn("what_if = 100000000000.0", text)
        with h5py.File(self.folder / "base.h5") as file:
            self.assertNotEqual(keys["sweep_key"], file.attrs["sweep_key"])
        best = json.loads(self.run_program("top", "kept.h5", "-n", "1", "--json").stdout)["rows"][0]
        shown = self.run_program("show", "kept.h5", best["config_id"]).stdout
        self.assertIn("evidence what-if", shown)
        self.assertNotIn("differ", shown)  # simulated again with the what-if

    def test_the_sweep_file_holds_what_ifs_too(self):
        (self.folder / "in-file.toml").write_text(SWEEP + '[what_if.cluster]\nnic_rate = "800 Gb/s"\n')
        self.start("in-file.toml", "-q", "-o", "in-file.h5").check_returncode()
        rows = self.simulate("by-set.h5", "cluster.nic_rate=800Gb/s")
        with h5py.File(self.folder / "in-file.h5") as file:
            np.testing.assert_array_equal(file["step_time"][:], rows["step_time"])

    def test_mistakes(self):
        for text, told in {
            "gpu.hbm_bandwith=x2": 'did you mean "hbm_bandwidth"?; fields of a gpu: hbm_bandwidth, hbm_capacity, flops',
            "gpu.nic_rate=x2": "it is a field of a cluster: cluster.nic_rate",
            "cluster.nic_rate=800GB": "is a size, but nic_rate is a bandwidth",
            "cluster.nic_rate=800": "nic_rate needs a unit",
            "gpu.flops=x0": "a factor is from x0.001 to x1000",
            "gpu.flops=0 TFLOP/s": "a what-if is more than 0",
            "gpus.h100.flops=x2": 'did you mean "h100-sxm"?',
            "gpus.a100-sxm-80gb.flops=x2": "the space has: h100-sxm, h200-sxm",
            "what_if.nic_rate=x2": "keys: gpu, cluster, gpus, clusters",
        }.items():
            done = self.run_program("check", "s.toml", "--set", text, code=2)
            self.assertIn(told, done.stderr)
            self.assertIn("--set " + text, done.stderr)
        done = self.run_program("s.toml", "--set", "gpu.flop=x2", "--set", "cluster.nic=x2", "-o", "none.h5", code=2)
        self.assertIn("2 errors", done.stderr)
        self.assertFalse((self.folder / "none.h5").exists())

    # --- break-even

    def surface(self, *words, code=0):
        return json.loads(self.run_program("break-even", *words, "--json", code=code).stdout)

    def best_by_kind(self, sets, by):
        """The slow twin of a cell: the whole sweep with --set, and `top` of its file."""
        self.simulate("cell.h5", *sets)
        rows = json.loads(self.run_program("top", "cell.h5", "--by", by, "--per", "cluster", "-n", "1", "--keep-order",
                                           "--json").stdout)["rows"]
        return {f"cluster={row['cluster']}": row for row in rows}

    def require_cells(self, surface, by, sets_of):
        for cell in surface["cells"]:
            best = self.best_by_kind(sets_of(cell), by)
            found = {one["kind"]: one for one in cell["standings"]}
            self.assertEqual(set(found), set(best))
            for kind, one in found.items():
                self.assertEqual(one["config_id"], best[kind]["config_id"])
                self.assertEqual(one["value"], best[kind][by])

    def test_cells_are_sweeps_with_set(self):
        words = ["--x", "nic_rate=25Gb/s,400Gb/s", "--y", "gpus.h200-sxm.flops=x0.6,x0.85,x1.2"]
        surface = self.surface("s.toml", *words)
        self.assertEqual(len(surface["cells"]), 6)
        self.require_cells(surface, surface["by"], lambda cell: [
            f"cluster.nic_rate={cell['x']}", f"gpus.h200-sxm.flops={cell['y']}"])
        self.assertEqual(len(surface["kinds"]), 2)
        again = self.surface("base.h5", *words)
        again["file"] = surface["file"]
        self.assertEqual(again, surface)

    def test_cells_of_prices_are_sweeps_with_set(self):
        surface = self.surface("base.h5", "--x", "gpus=32,64", "--y", "price.h200-sxm=1.5..3:3")
        self.assertEqual(surface["by"], "cost")
        self.require_cells(surface, "cost", lambda cell: [
            f"space.gpus={cell['x']}", f"economics.gpu_hour.h200-sxm={cell['y']} USD"])
        factors = self.surface("base.h5", "--x", "price.h200-sxm=x0.5,x1,x2", "--y", "nic_rate=x1,x2")
        self.assertEqual(factors["searched"]["whole_cells"], 2)  # a price changes no simulation
        self.require_cells(factors, "cost", lambda cell: [
            f"economics.gpu_hour.h200-sxm={2.1 * float(cell['x'][1:])} USD", f"cluster.nic_rate={cell['y']}"])

    def test_cells_of_failures_are_sweeps_with_set(self):
        failing = ["--set", "reliability.preset=llama3-h100"]
        surface = self.surface("s.toml", *failing, "--x", "gpu_mtbf=200h,50000h", "--y", "price.h100-sxm=1,2",
                               "--by", "cost")
        self.require_cells(surface, "cost", lambda cell: [
            "reliability.preset=llama3-h100", f"reliability.gpu_mtbf={cell['x']}",
            f"economics.gpu_hour.h100-sxm={cell['y']} USD"])
        often, seldom = (cell["standings"][0]["value"] for cell in surface["cells"][:2])
        self.assertGreater(often, seldom)

    def test_a_boundary_is_where_both_are_equally_good(self):
        surface = self.surface("s.toml", "--x", "price.h200-sxm=1..4:4", "--y", "nic_rate=x1,x0.1")
        [boundary] = [one for one in surface["boundaries"] if one["axis"] == "x" and one["other"] == "x1"]
        self.assertEqual((boundary["from"], boundary["to"]), ("cluster=dgx-h200", "cluster=dgx-h100-ndr400"))
        best = self.best_by_kind([f"economics.gpu_hour.h200-sxm={boundary['place']} USD"], "cost")
        costs = [row["cost"] for row in best.values()]
        self.assertAlmostEqual(costs[0] / costs[1], 1.0, places=9)

    def test_candidates_find_the_winners_that_all_points_have(self):
        words = ["s.toml", "--x", "nic_rate=x0.1..x2:5", "--y", "gpu.hbm_capacity=x0.5..x2:5", "--per", "tp,pp,cluster"]
        whole, part = self.surface(*words), self.surface(*words, "--simulations", "600")
        self.assertEqual(whole["searched"]["restricted_cells"], 0)
        self.assertEqual(part["searched"]["whole_cells"], 5)
        self.assertEqual(part["searched"]["restricted_cells"], 20)
        for one, other in zip(whole["cells"], part["cells"]):
            self.assertEqual(one["standings"][0], other["standings"][0])
        self.assertIn("a row that is best in between alone is not found",
                      self.run_program("break-even", *words, "--simulations", "600").stdout)

    def test_the_table_and_the_csv_say_the_same(self):
        words = ["base.h5", "--x", "nic_rate=25Gb/s,400Gb/s", "--y", "gpus.h200-sxm.flops=x0.6,x1.2"]
        surface = self.surface(*words)
        lines = list(csv.DictReader(io.StringIO(self.run_program("break-even", *words, "--csv").stdout)))
        for cell, line in zip(surface["cells"], lines):
            self.assertEqual(line["winner"], cell["standings"][0]["kind"])
            self.assertEqual(float(line["gap"]), cell["gap"])
            self.assertEqual(line["is_tie"] == "1", cell["is_tie"])
            self.assertEqual(cell["is_tie"], cell["chance"] < 0.9)
        text = self.run_program("break-even", *words).stdout
        self.assertIn("searched: every point of the sweep", text)
        for kind in surface["kinds"]:
            self.assertIn(kind, text)

    def test_mistakes_of_axes(self):
        for words, told in {
            ("--x", "nic_rat", "--y", "flops"): 'did you mean "nic_rate"?',
            ("--x", "nic_rate=800", "--y", "flops"): "needs a unit",
            ("--x", "nic_rate=1Gb/s..2GB/s", "--y", "flops"): "different units",
            ("--x", "nic_rate", "--y", "nic_rate"): "both axes are nic_rate",
            ("--x", "nic_rate"): "--x and --y are both required",
            ("--x", "gpus", "--y", "nic_rate"): "needs values",
            ("--x", "price.h10=1,2", "--y", "nic_rate"): "no GPU or cluster",
            ("--x", "seed=1,2", "--y", "nic_rate"): "there is no axis",
            ("--x", "gpus=32,64", "--y", "nic_rate", "--simulations", "10"): "more than 10",
        }.items():
            done = self.run_program("break-even", "s.toml", *words, code=2)
            self.assertIn(told, done.stderr)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
