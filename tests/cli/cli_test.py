"""The program as a user meets it: commands, outputs, exit codes.   usage: cli_test.py ECHO_SWEEP"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

program = ""

sweep = """
schema = 1
name = "small"

[space]
model = "gpt3-13b"
cluster = "h800-96"
framework = "megatron-core"
recipe = "nvidia-performance"
gpus = 16
tp = [1, 2, 4]
pp = [1, 2, 4]
micro_batch = [1, 2]
global_batch = 64
recompute = ["none", "full"]
precision = "bf16"

[derive]
dp = "gpus / (tp * pp)"
microbatches = "global_batch / (dp * micro_batch)"

[[keep]]
name = "narrow"
expr = "tp <= 2"
"""


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("small.toml", sweep)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_program(self, *words, code=0, **environment):
        done = subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def json_of(self, *words, code=0):
        return json.loads(self.run_program(*words, "--json", code=code).stdout)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    # --- run
    def test_a_bare_sweep_runs_into_a_file_of_its_name_here(self):
        text = self.run_program("small.toml").stdout
        self.assertEqual(self.files(), ["small.h5", "small.toml"])
        self.assertRegex(text, r"(?m)^rows_digest [0-9a-f]{32}$")
        self.assertIn("why #1 beats #2", text)
        self.assertIn("best of gpt3-13b by step_time", text)

    def test_a_relaunch_over_a_complete_file_says_so(self):
        self.run_program("run", "small.toml", "-o", "a.h5")
        before = (self.folder / "a.h5").read_bytes()
        self.assertIn("complete", self.run_program("small.toml", "-o", "a.h5").stdout)
        self.assertEqual((self.folder / "a.h5").read_bytes(), before)

    def test_another_sweep_does_not_overwrite_a_file_unless_told(self):
        self.run_program("small.toml", "-o", "a.h5")
        self.run_program("small.toml", "-o", "a.h5", "--set", "space.micro_batch=1", code=5)
        self.run_program("small.toml", "-o", "a.h5", "--set", "space.micro_batch=1", "--fresh")

    def test_limit_takes_the_first_points(self):
        self.assertEqual(self.json_of("small.toml", "--limit", "5")["points"], 5)

    def test_nothing_feasible_is_exit_3_and_names_the_nearest(self):
        words = ["small.toml", "--set", "space.gpus=1", "--set", "space.tp=1", "--set", "space.pp=1", "-o", "none.h5"]
        text = self.run_program(*words, code=3).stdout
        self.assertIn("no feasible point", text)
        self.assertIn("short of", text)
        self.run_program(*words, "--fresh", "--allow-empty")

    def test_progress_goes_to_stderr_as_whole_lines(self):
        line = self.run_program("small.toml").stderr.strip().splitlines()[-1]
        self.assertRegex(line, r"^\S+Z progress done=(\d+) total=\1 pct=100 rate=\d+/s elapsed=\d+s eta=0s ok=\d+ "
                               r"infeasible=\d+ failed=0 best=[\d.e+]+/s/gpu best_config=[0-9a-f]{16}$")
        record = json.loads(self.run_program("small.toml", "--fresh", "--progress", "json").stderr.splitlines()[-1])
        self.assertEqual(record["done"], record["total"])
        ids = self.run_program("export", "small.h5", "--columns", "config_id,gpus,tokens_per_s,fit_chance,status").stdout
        rows = [row.split(",") for row in ids.splitlines()[1:]]
        rate, config = max((float(row[2]) / int(row[1]), row[0]) for row in rows if row[4] == "ok" and float(row[3]) >= 0.9)
        self.assertEqual(record["best_config"], config)
        self.assertAlmostEqual(record["best"] / rate, 1.0)
        self.assertEqual(self.run_program("small.toml", "--fresh", "-q").stderr, "")

    # --- mistakes
    def test_all_mistakes_are_shown_in_one_pass_with_their_places(self):
        self.write("bad.toml", sweep.replace("gpt3-13b", "gpt3-13c").replace("tp = [", "tpp = [")
                   .replace("micro_batch = [1, 2]", 'micro_batch = ["one"]'))
        text = self.run_program("bad.toml", code=2).stderr
        places = re.findall(r"(?m)^bad\.toml:\d+:\d+: error:", text)
        self.assertGreaterEqual(len(places), 3, text)
        self.assertIn('"gpt3-13b"', text)  # did you mean
        self.assertEqual(self.files(), ["bad.toml", "small.toml"])
        problems = self.json_of("check", "bad.toml", code=2)["problems"]
        self.assertEqual(len(problems), len(re.findall("error:", text)))

    def test_a_missing_sweep_is_exit_2(self):
        self.assertIn("nosuch.toml", self.run_program("nosuch.toml", code=2).stderr)

    def test_unknown_options_and_commands_without_arguments_are_exit_2(self):
        self.run_program("small.toml", "--no-such-option", code=2)
        self.run_program("top", code=2)
        self.run_program(code=2)
        self.run_program("small.toml", "--progress", "loud", code=2)

    # --- plan and check
    def test_plan_accounts_for_every_combination(self):
        plan = self.json_of("plan", "small.toml")
        self.assertEqual(plan["raw"], 3 * 3 * 2 * 2)
        self.assertIs(plan["exact"], True)
        removed = {rule["name"]: rule["removed"] for rule in plan["rules"]}
        self.assertEqual(removed["narrow"], 12)  # tp = 4: 3 pp x 2 micro_batch x 2 recompute
        self.assertEqual(plan["points"], plan["raw"] - sum(removed.values()) - plan["duplicates"])
        self.assertEqual(self.files(), ["small.toml"])
        self.assertEqual(self.json_of("small.toml")["points"], plan["points"])

    def test_check_counts_and_writes_nothing(self):
        self.assertRegex(self.run_program("check", "small.toml").stdout, r"ok, \d+ points")
        self.assertEqual(self.files(), ["small.toml"])

    def test_probe_simulates_without_writing(self):
        self.assertRegex(self.run_program("plan", "small.toml", "--probe", "4").stdout, "probe  4 points")
        self.assertEqual(self.files(), ["small.toml"])

    def test_plan_names_points_and_says_what_removes_one(self):
        plan = self.json_of("plan", "small.toml", "--list", "3", "--why", "tp=4,pp=1")
        self.assertEqual([point["number"] for point in plan["list"]], [0, 1, 2])
        self.assertEqual(plan["why"]["combinations"], 2 * 2)
        self.assertEqual([removal["rule"] for removal in plan["why"]["removed_by"]], ["narrow"])
        self.assertIn("its values are", self.run_program("plan", "small.toml", "--why", "tp=3", code=2).stderr)

    def test_a_sample_has_as_many_points_as_it_asks_for(self):
        for strategy in ("random", "sobol"):
            self.write("sample.toml", sweep + f'\n[search]\nstrategy = "{strategy}"\npoints = 5\n')
            self.assertEqual(self.json_of("plan", "sample.toml")["points"], 5)
            self.assertEqual(self.json_of("sample.toml", "-o", strategy + ".h5")["points"], 5)
        self.write("sample.toml", sweep + '\n[search]\nstrategy = "random"\npoints = 5000\n')
        self.assertIn("5000 points", self.run_program("plan", "sample.toml", code=2).stderr)

    # --- results
    def test_top_ranks_by_what_it_is_told(self):
        self.run_program("small.toml")
        rows = self.json_of("top", "small.h5", "-n", "3", "--keep-order")["rows"]
        self.assertEqual([row["rank"] for row in rows], [1, 2, 3])
        self.assertEqual([row["step_time"] for row in rows], sorted(row["step_time"] for row in rows))
        by_mfu = self.json_of("top", "small.h5", "--by", "mfu", "--keep-order")["rows"]
        self.assertEqual([row["mfu"] for row in by_mfu], sorted((row["mfu"] for row in by_mfu), reverse=True))
        exposed = sum(rows[0]["breakdown/exposed_time"].values())
        self.assertAlmostEqual(exposed, rows[0]["step_time"], delta=1e-9 * exposed)

    def test_show_finds_a_row_by_id_prefix_and_number(self):
        self.run_program("small.toml")
        best = self.json_of("top", "small.h5", "-n", "1")["rows"][0]
        whole = self.json_of("show", "small.h5", best["config_id"])
        self.assertEqual(whole["step_time"], best["step_time"])
        self.assertEqual(whole["remark"], "")  # worked out again: the same step
        self.assertEqual(self.json_of("show", "small.h5", best["config_id"][:12].upper()), whole)
        self.assertEqual(self.json_of("show", "small.h5", str(best["config"])), whole)
        text = self.run_program("show", "small.h5", best["config_id"]).stdout
        for heading in ("breakdown of the step", "memory of one GPU of each stage", "collectives of one GPU"):
            self.assertIn(heading, text)
        self.run_program("show", "small.h5", "zzzz", code=2)

    def test_show_accounts_for_the_busy_time_of_every_collective(self):
        self.run_program("small.toml")
        for row in self.json_of("top", "small.h5", "-n", "20")["rows"]:
            page = self.json_of("show", "small.h5", row["config_id"])
            for part in ("tp_comm", "dp_comm", "zero_comm"):
                counted = sum(c["seconds"] for c in page["collective_times"] if c["part"] == part)
                self.assertAlmostEqual(counted, page["breakdown/total_time"][part], delta=1e-9, msg=row["config_id"])
            self.assertEqual(max(stage["total"] for stage in page["memory_by_stage"]), page["mem_peak"])

    def test_status_tells_a_batch_script_where_a_sweep_stands(self):
        self.run_program("status", "small.h5", "--exit-code", code=5)
        self.run_program("small.toml")
        self.assertIn("complete", self.run_program("status", "small.h5", "--exit-code").stdout)

    def test_describe_explains_every_column_of_a_file(self):
        self.run_program("small.toml")
        described = {column["name"] for column in self.json_of("describe")["columns"]}
        row = self.json_of("show", "small.h5", "0")
        own = {"memory_by_stage", "collective_times", "shared_links", "slowdown_pairs", "critical_path",
               "critical_path_by_stage", "production", "set_otherwise_than_recipe",
               "remark"}
        self.assertEqual(set(row) - own, described)

    def test_a_row_tells_which_axes_overrule_its_recipe(self):
        self.run_program("small.toml", "--set", "space.recompute=full", "--set", "space.zero=0", "--set", "space.tp=2")
        row = self.json_of("show", "small.h5", "0")
        self.assertEqual(row["recipe"], "nvidia-performance")
        self.assertEqual(row["set_otherwise_than_recipe"], ["recompute", "zero"])
        self.assertEqual(row["recipe_overruled"], 2)
        shown = self.run_program("show", "small.h5", "0").stdout
        self.assertIn("framework megatron-core, recipe nvidia-performance\n", shown)
        self.assertIn("set by the sweep, otherwise than by the recipe: recompute, zero\n", shown)

    # --- the rest
    def test_version_and_presets(self):
        self.assertEqual(self.json_of("version")["program"], "echo-sweep")
        self.assertIn("gpt3-175b", self.json_of("presets", "list")["models"])
        self.assertIn("source", self.run_program("presets", "show", "gpt3-175b").stdout)
        self.assertIn("gpt3-175b", self.run_program("presets", "show", "gpt3-175", code=2).stderr)

    def test_no_color_in_the_environment_is_heeded(self):
        self.assertNotIn("\x1b", self.run_program("nosuch.toml", code=2, NO_COLOR="1").stderr)


if __name__ == "__main__":
    program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
