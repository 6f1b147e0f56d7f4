"""Tables people can read: columns, words, widths, groups, the front, and names of presets.  usage: tables_test.py ECHO_SWEEP"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SITE = """
[clusters.mine]
base   = "dgx-h100-ndr400"
source = "an example"
grade  = "assumed"
nics_per_node = 2
"""
SWEEP = """
name = "small"
include = ["site.toml"]
[target]
tokens = "1 T tokens"
[space]
model = "llama3-8b"
cluster = ["mine", "dgx-b200"]
gpus = [8, 16]
tp = [1, 2, 4]
pp = 1
micro_batch = 1
sequence_parallel = ["on", "off"]
global_batch = 64
[[objective]]
metric = "train_time"
[[objective]]
metric = "mem_peak"
[simulate]
skew = { sigma = "2 %", draws = 16 }
"""


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "site.toml").write_text(SITE)
        (cls.folder / "small.toml").write_text(SWEEP)
        cls.summary = cls.run_program("small.toml", "--progress", "none")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_program(cls, *words, code=0, columns=None):
        environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        if columns:
            environment["COLUMNS"] = str(columns)
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=cls.folder, capture_output=True, text=True, env=environment,
                              timeout=100)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done.stdout if code == 0 else done.stderr

    @staticmethod
    def table(text):
        """The first table of a text, as a list of dicts by heading."""
        lines = text.splitlines()
        first = next(i for i, line in enumerate(lines) if line.split()[:2] == ["#", "id"])
        names = lines[first].split()
        rows = []
        for line in lines[first + 1:]:
            if not line.strip() or not line.split()[0].isdigit():
                break
            rows.append(line)
        return names, rows

    def test_the_objective_and_every_axis_that_varies_are_shown(self):
        for text in (self.summary, self.run_program("top", "small.h5", "-n", 1)):
            names, rows = self.table(text)
            for column in ("train_time", "cluster", "gpus", "tp", "sp"):
                self.assertIn(column, names)
            self.assertRegex(rows[0], r"\d [dh] ")
        names, rows = self.table(self.run_program("top", "small.h5", "--by", "step_time_p90"))
        self.assertIn("step_time_p90", names)

    def test_lines_keep_to_the_width_and_say_what_they_leave_out(self):
        wide = self.run_program("top", "small.h5")
        narrow = self.run_program("top", "small.h5", columns=80)
        names, rows = self.table(narrow)
        self.assertTrue(all(len(line) <= 80 for line in rows), rows)
        self.assertIn("left out of lines of 80 characters:", narrow)
        for column in ("train_time", "step", "tp", "cluster"):
            self.assertIn(column, names + narrow.split())
        self.assertNotIn("left out", wide)
        self.assertEqual(len(self.table(wide)[1]), len(rows))

    def test_columns_may_be_chosen_and_are_explained(self):
        text = self.run_program("top", "small.h5", "--columns", "tp,nccl_version,comm_kernels,step,mfu", "--explain")
        names, rows = self.table(text)
        self.assertEqual(names, ["#", "id", "tp", "nccl_version", "comm_kernels", "step", "mfu"])
        self.assertRegex(rows[0], r" 2\.\d+\.\d+ ")
        self.assertRegex(text, r"nccl_version +NCCL version")
        self.assertIn("did you mean \"tp\"", self.run_program("top", "small.h5", "--columns", "tpp", code=2))

    def test_groups_may_be_of_several_columns(self):
        told = json.loads(self.run_program("top", "small.h5", "--per", "cluster,gpus", "-n", 1, "--json"))
        self.assertEqual(sorted(group["name"] for group in told["groups"]),
                         ["dgx-b200, 16", "dgx-b200, 8", "mine, 16", "mine, 8"])
        best = {(row["cluster"], row["gpus"]): row for row in told["rows"]}
        everything = json.loads(self.run_program("top", "small.h5", "-n", 1000, "--keep-order", "--json"))["rows"]
        kept = json.loads(self.run_program("top", "small.h5", "--per", "cluster,gpus", "-n", 1, "--keep-order", "--json"))["rows"]
        for row in kept:
            first = next(one for one in everything if (one["cluster"], one["gpus"]) == (row["cluster"], row["gpus"]))
            self.assertEqual(first["config_id"], row["config_id"])
        self.assertEqual(len(best), 4)

    def test_the_front_is_listed(self):
        text = self.run_program("top", "small.h5", "--pareto")
        names, rows = self.table(text)
        points = int(text.split("Pareto front (train_time x mem_peak): ")[1].split()[0])
        self.assertEqual(len(rows), points)
        self.assertTrue(all("robust" in row or "tie" in row for row in rows))
        told = json.loads(self.run_program("top", "small.h5", "--pareto", "--json"))["pareto"]
        front = [point for point in told["points"] if point["standing"] != "unproven"]
        self.assertEqual(len(front), points)
        for before, after in zip(front, front[1:]):
            self.assertLessEqual(before["train_time"], after["train_time"])
            self.assertGreaterEqual(before["mem_peak"], after["mem_peak"])
        self.assertIn("--pareto", self.run_program("top", "small.h5", "--pareto", "--where", "tp == 1", code=2))

    def test_switches_are_written_as_they_are_printed(self):
        def ids(where):
            return [row["config_id"] for row in
                    json.loads(self.run_program("top", "small.h5", "-n", 100, "--where", where, "--json"))["rows"]]
        self.assertEqual(ids("sequence_parallel == on"), ids("sequence_parallel"))
        self.assertEqual(ids("sequence_parallel == 'off'"), ids("not sequence_parallel"))
        self.assertTrue(ids("sequence_parallel == 'off'"))
        self.run_program("check", "small.toml", "--set", "space.sequence_parallel=off")

    def test_where_knows_the_presets_as_limits_do(self):
        def clusters(where):
            return {row["cluster"] for row in
                    json.loads(self.run_program("top", "small.h5", "-n", 100, "--where", where, "--json"))["rows"]}
        self.assertEqual(clusters("gpu.memory > 100 GiB"), {"dgx-b200"})
        self.assertEqual(clusters("cluster.nics_per_node == 2"), {"mine"})  # of the file that the sweep included
        self.assertEqual(clusters("mem_peak < 0.9 * gpu.memory and model.layers == 32"), {"mine", "dgx-b200"})
        self.assertIn("did you mean \"gpu.memory\"", self.run_program("top", "small.h5", "--where", "gpu.memry > 3", code=2))

    def test_rows_of_included_presets_are_simulated_again(self):
        row = json.loads(self.run_program("top", "small.h5", "-n", 1, "--where", "cluster == 'mine'", "--json"))["rows"][0]
        shown = json.loads(self.run_program("show", "small.h5", row["config_id"], "--json"))
        self.assertEqual(shown["remark"], "")
        self.assertTrue(shown["kernels"])

    def test_files_of_presets_are_visible_to_every_command(self):
        self.assertIn("  mine\n", self.run_program("presets", "list", "clusters", "--include", "site.toml"))
        self.assertNotIn("  mine\n", self.run_program("presets", "list", "clusters"))
        self.assertIn("nics_per_node = 2", self.run_program("presets", "show", "mine", "--include", "site.toml"))
        self.run_program("collective", "all_reduce", "--cluster", "mine", "--bytes", "1M", "--include", "site.toml")
        (self.folder / "bare.toml").write_text(SWEEP.replace('include = ["site.toml"]', ""))
        self.assertIn('unknown cluster "mine"', self.run_program("check", "bare.toml", code=2))
        self.run_program("check", "bare.toml", "--include", "site.toml")

    def test_a_copied_preset_cites_nothing(self):
        text = self.run_program("presets", "new", "gpus", "mine", "--from", "h100-sxm")
        for gone in ("white paper", "cudaDeviceProp", '"measured"'):
            self.assertNotIn(gone, text)
        self.assertIn('source = ""', text)
        self.assertIn('grade  = "assumed"', text)
        self.assertIn('memory = "79.11 GiB"', text)

    def test_that_nothing_was_simulated_is_said_where_something_would_have_been(self):
        (self.folder / "wrong.toml").write_text("[space]\ntp = 0\n")
        self.assertIn("nothing was simulated", self.run_program("wrong.toml", code=2))
        for words in (("check", "wrong.toml"), ("top", "small.h5", "--by", "nothing"), ("presets", "show", "nothing")):
            self.assertNotIn("simulated", self.run_program(*words, code=2).splitlines()[-1])

    def test_rows_known_badly_rank_behind_rows_known_well(self):
        rows = json.loads(self.run_program("top", "small.h5", "-n", 100, "--by", "step_time_p90", "--json"))["rows"]
        self.assertGreater(len(rows), 4)
        for row in rows:
            self.assertGreater(row["step_time_p90"], row["step_time"] * 2.718281828 ** (0.99 * row["rel_error_p90"]))
        self.assertEqual([row["step_time_p90"] for row in rows], sorted(row["step_time_p90"] for row in rows))

    def test_levers_are_what_the_sweep_turns(self):
        line = next(line for line in self.summary.splitlines() if line.startswith("axes with the largest effect"))
        told = line.split("): ")[1].replace(",", "").split()
        self.assertLessEqual(set(told[::3]), {"cluster", "gpus", "tp", "sequence_parallel"})


if __name__ == "__main__":
    unittest.main()
