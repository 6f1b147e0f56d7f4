"""What is done with result files: top, show, export, diff, merge, describe.   usage: results_test.py ECHO_SWEEP"""

import csv
import json
import math
import pathlib
import sys
import unittest

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from block_sums import append_sums  # noqa: E402
from program_case import ProgramCase  # noqa: E402

sweep = """
schema = 1
name = "small"

[target]
tokens = "1T tokens"

[space]
model = ["gpt3-13b", "gpt3-175b"]
cluster = "h800-96"
framework = "megatron-core"
recipe = "nvidia-performance"
gpus = [16, 32]
tp = [1, 2, 4]
pp = [1, 2, 4]
micro_batch = [1, 2]
global_batch = 64
recompute = ["none", "full"]
precision = "bf16"

[[limit]]
name = "deadline"
metric = "train_time"
max = "120 d"

[[objective]]
metric = "train_time"
goal = "min"
"""


class Results(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "small.toml").write_text(sweep)
        cls.start("small.toml", "-q").check_returncode()

    def json_of(self, *words, code=0):
        return json.loads(self.run_program(*words, "--json", code=code).stdout)

    def column(self, name, file="small.h5"):
        with h5py.File(self.folder / file) as opened:
            return opened[name][...]

    # --- top
    def test_top_ranks_by_the_sweeps_objective_each_model_by_itself(self):
        top = self.json_of("top", "small.h5", "--per", "model", "-n", "4", "--keep-order")
        self.assertEqual((top["by"], top["goal"]), ("train_time", "min"))
        for model in ("gpt3-13b", "gpt3-175b"):
            rows = [row for row in top["rows"] if row["model"] == model]
            times = [row["train_time"] for row in rows]
            self.assertEqual(times, sorted(times))
            self.assertEqual([row["rank"] for row in rows], list(range(1, len(rows) + 1)))

    def test_top_says_what_cannot_be_told_apart_from_the_first(self):
        told = self.json_of("top", "small.h5", "--by", "step_time", "-n", "1000")
        first = told["rows"][0]
        with h5py.File(self.folder / "small.h5") as file:
            shared = {name: file[name].attrs["shared_by"] for name in file if "shared_by" in file[name].attrs}
            self.assertEqual(len(shared), 10)
            self.assertEqual(file["tokens_per_s"].attrs["error_follows"], "1/step_time")
            self.assertEqual(file["gpus"].attrs["error_follows"], "none")
        tied = 0
        for row in told["rows"][1:]:
            variance = sum((first[name] - row[name]) ** 2 if owner != "config" and first[owner] == row[owner]
                           else first[name] ** 2 + row[name] ** 2 for name, owner in shared.items())
            sigma = math.sqrt(variance) * first["rel_error_p90"] / first["rel_error"] / 1.2815515655446004
            chance = 0.5 * math.erfc(-math.log(row["step_time"] / first["step_time"]) / sigma / math.sqrt(2))
            self.assertAlmostEqual(row["chance_first_is_better"], chance, places=5)
            self.assertEqual(row["ties_with_first"], row["chance_first_is_better"] < 0.9)
            tied += row["ties_with_first"]
        self.assertEqual(told["groups"][0]["ties"]["tied_with_first"], tied)
        self.assertIn("ties: ", self.run_program("top", "small.h5", "--by", "step_time").stdout)

    def test_top_breaks_ties_towards_what_publications_ran(self):
        asked = ("top", "small.h5", "--by", "step_time", "-n", "1000")
        as_ranked, broken = self.json_of(*asked, "--keep-order"), self.json_of(*asked)
        tied = [row for row in as_ranked["rows"] if row["rank"] == 1 or row["ties_with_first"]]
        tied = [row for row in tied if row["rel_error_p90"] <= 1.1 * tied[0]["rel_error_p90"]]  # known as well
        untried = [bin(row["untried"]).count("1") for row in tied]
        first, entry = broken["rows"][0], broken["groups"][0]["tie_break"]
        fewest = [row for row, count in zip(tied, untried) if count == min(untried)]
        surest = min(fewest, key=lambda row: row["step_time"] * math.exp(row["rel_error_p90"]))
        self.assertEqual(first["config_id"], surest["config_id"])
        self.assertEqual(entry["untried_choices"], min(untried))
        self.assertEqual(entry["untried_choices_of_best"], untried[0])
        self.assertEqual(entry["moved"], min(untried) < untried[0])
        self.assertAlmostEqual(entry["gap"], first["step_time"] / tied[0]["step_time"] - 1, places=9)
        self.assertEqual({row["config_id"] for row in broken["rows"]}, {row["config_id"] for row in as_ranked["rows"]})
        text = self.run_program(*asked).stdout
        self.assertEqual("by prediction and ties with it" in text, entry["moved"])
        self.assertEqual("more than any published run" in text,
                         (first["mfu"] or 0) > (first["best_published_mfu"] or math.inf))
        luck = broken["groups"][0]["without_luck"]
        self.assertAlmostEqual(luck["step_time"], first["step_time"] * (1 + luck["share"]), places=9)

    def test_the_summary_of_a_run_ranks_and_says_what_top_does(self):
        told, top = self.json_of("run", "small.toml"), self.json_of("top", "small.h5", "--per", "model", "-n", "10")
        self.assertEqual(told["best"], top["rows"])
        self.assertEqual(told["groups"], top["groups"])
        text = self.run_program("run", "small.toml").stdout
        of_top = self.run_program("top", "small.h5", "--per", "model").stdout.splitlines()
        said = [line for line in of_top if line.startswith(("ties:", "#1 ", "why ", "  #2 "))]
        self.assertGreater(len(said), 4)
        for line in said:
            self.assertIn(line + "\n", text)

    def test_a_file_without_errors_claims_no_ties(self):
        (self.folder / "old.h5").write_bytes((self.folder / "small.h5").read_bytes())
        with h5py.File(self.folder / "old.h5", "r+") as file:
            for name in [name for name in file if "error" in name]:
                del file[name]
        append_sums(self.folder / "old.h5")
        self.assertIn("ties: not determined, the file has no error of train_time",
                      self.run_program("top", "old.h5").stdout)
        told = self.json_of("top", "old.h5")
        self.assertFalse(told["groups"][0]["ties"]["judged"])
        self.assertNotIn("ties_with_first", told["rows"][0])

    def test_the_file_says_how_sure_its_front_is(self):
        with h5py.File(self.folder / "small.h5") as file:
            front, words = file["pareto"], file["pareto/standing"].attrs["flag_meanings"].split()
            standing = [words[code] for code in front["standing"][...]]
            self.assertLessEqual(set(standing), {"robust", "tie"})
            for name, rival, chance in zip(standing, front["rival"][...], front["rival_chance"][...]):
                self.assertEqual(name == "tie", rival >= 0)
                self.assertEqual(np.isnan(chance), rival < 0)
            behind = front["unproven"] if "unproven" in front else {"config": np.zeros(0), "rival_chance": np.zeros(0)}
            self.assertFalse(set(behind["config"][...]) & set(front["config"][...]))
            self.assertTrue((behind["rival_chance"][...] < 0.9).all())
            unproven = len(behind["config"])
        told = self.json_of("small.toml", "-q", "-o", "small.h5")["pareto"]
        self.assertEqual((told["points"], told["unproven"]), (len(standing), unproven))
        self.assertEqual((told["robust"], told["tie"]), (standing.count("robust"), standing.count("tie")))

    def test_where_keeps_what_numpy_keeps(self):
        rows = self.json_of("top", "small.h5", "-n", "1000", "--where", "tp * pp <= 4 and step_time < 30 s and "
                            "recompute == 'full' and not sequence_parallel")["rows"]
        with h5py.File(self.folder / "small.h5") as file:
            words = file["recompute"].attrs["flag_meanings"].split()
            kept = ((file["status"][...] == 0) & (file["tp"][...] * file["pp"][...] <= 4)
                    & (file["step_time"][...] < 30) & (file["recompute"][...] == words.index("full"))
                    & (file["sequence_parallel"][...] == 0)
                    & (file["fit_chance"][...] >= file.attrs["min_fit_chance"]))
        self.assertEqual({row["config"] for row in rows}, set(np.flatnonzero(kept)))
        self.assertTrue(rows)

    def test_a_mistake_in_where_gets_a_caret(self):
        text = self.run_program("top", "small.h5", "--where", "tp <= 4 and gpu_s > 1", code=2).stderr
        self.assertIn("tp <= 4 and gpu_s > 1\n              ^~~~~", text)
        self.assertIn('did you mean "gpus"', text)
        self.run_program("top", "small.h5", "--where", "model == 'gpt3-13c'", code=2)
        self.run_program("top", "small.h5", "--by", "speed", code=2)
        self.run_program("top", "small.h5", "--per", "step_time", code=2)

    # --- limits
    def test_rows_past_a_limit_keep_their_metrics_and_name_it(self):
        late = self.column("limit") == 1
        self.assertTrue(late.any())
        self.assertTrue((self.column("status")[late] == 1).all())
        time = self.column("train_time")
        self.assertTrue((time[late] > 120 * 86400).all())
        np.testing.assert_allclose(self.column("limit_excess")[late], time[late] / (120 * 86400) - 1, rtol=1e-5)
        row = str(np.flatnonzero(late)[0])
        self.assertIn("reason limit deadline", self.run_program("show", "small.h5", row).stdout)
        self.assertIn("breakdown of the step", self.run_program("show", "small.h5", row).stdout)

    # --- export
    def test_csv_reads_back_what_the_file_holds(self):
        text = self.run_program("export", "small.h5").stdout
        rows = list(csv.reader(text.splitlines()))
        header, rows = rows[0], rows[1:]
        self.assertIn("step_time[s]", header)
        self.assertIn("breakdown/exposed_time/forward[s]", header)
        with h5py.File(self.folder / "small.h5") as file:
            self.assertEqual(len(rows), len(file["config"]))
            for name in ("step_time", "mem_peak", "mfu", "gpus", "model", "config_id"):
                at = next(i for i, heading in enumerate(header) if heading.split("[")[0] == name)
                cells, stored = [row[at] for row in rows], file[name]
                if name == "model":
                    words = stored.attrs["flag_meanings"].split()
                    self.assertEqual(cells, [words[code] for code in stored[...]])
                elif name == "config_id":
                    self.assertEqual([int(cell, 16) for cell in cells], list(stored[...]))
                else:
                    read = np.array([float(cell or "nan") for cell in cells]).astype(stored.dtype)
                    np.testing.assert_array_equal(read, stored[...])

    def test_json_lines_have_null_where_nothing_is_known(self):
        self.run_program("export", "small.h5", "--format", "jsonl", "--columns", "config_id,step_time,status", "-o", "x")
        rows = [json.loads(line) for line in (self.folder / "x").read_text().splitlines()]
        self.assertEqual(len(rows), len(self.column("config")))
        for row, time in zip(rows, self.column("step_time")):
            self.assertEqual(set(row), {"config_id", "step_time", "status"})
            self.assertEqual(row["step_time"], None if np.isnan(time) else time)

    def test_export_refuses_what_it_does_not_know(self):
        self.run_program("export", "small.h5", "--columns", "no_such", code=2)
        self.run_program("export", "small.h5", "-o", "no/such/folder.csv", code=5)
        self.run_program("export", "small.toml", code=5)

    # --- merge
    def test_shards_merge_into_the_file_of_the_whole_run(self):
        for shard in ("1/3", "2/3", "3/3"):
            self.run_program("small.toml", "-q", "--shard", shard, "-o", f"{shard[0]}.h5", "--allow-empty")
        self.run_program("merge", "-o", "two.h5", "3.h5", "1.h5")
        with h5py.File(self.folder / "two.h5") as file:
            self.assertEqual(file.attrs["state"], "partial")
        merged = self.json_of("merge", "-o", "merged.h5", "two.h5", "2.h5", "1.h5")
        self.assertTrue(merged["complete"])
        with h5py.File(self.folder / "small.h5") as file:
            self.assertEqual(merged["rows_digest"], file.attrs["rows_digest"])
        self.assertTrue(self.json_of("diff", "small.h5", "merged.h5", "--exit-code")["equal"])

    def test_merge_refuses_files_of_different_sweeps(self):
        self.run_program("small.toml", "-q", "--set", "space.tp=[1,2]", "-o", "other.h5")
        self.assertIn("space_key", self.run_program("merge", "-o", "no.h5", "small.h5", "other.h5", code=2).stderr)

    def test_merge_names_the_file_that_is_not_there(self):
        told = self.run_program("merge", "-o", "no.h5", "small.h5", "absent.h5", code=2).stderr
        self.assertIn('there is no file "absent.h5"', told)
        self.assertFalse((self.folder / "no.h5").exists())
        self.run_program("merge", "small.h5", code=2)

    # --- diff
    def test_diff_names_the_cause_of_a_changed_rank(self):
        self.run_program("small.toml", "-q", "--set", "space.recompute=full", "-o", "full.h5")
        diff = self.json_of("diff", "small.h5", "full.h5", "--exit-code", code=6)
        self.assertEqual(diff["differ_in"], ["space"])
        self.assertEqual(diff["only_second"], 0)
        self.assertEqual(diff["only_first"] + diff["both"], len(self.column("config")))
        self.assertEqual((diff["metrics"], diff["status"]), ([], []))  # rows of both files are the same
        causes = {change["cause"] for change in diff["ranks"]}
        self.assertLessEqual(causes, {"only in the first file [space]", "rows ranked before it were added, removed or changed"})
        self.assertTrue(causes)

    def test_diff_tells_settings_from_the_space(self):
        self.run_program("small.toml", "-q", "--set", 'simulate.slowdown="off"', "-o", "off.h5")
        diff = self.json_of("diff", "small.h5", "off.h5")
        self.assertEqual((diff["only_first"], diff["only_second"]), (0, 0))
        changed = {change["metric"] for change in diff["metrics"]}
        self.assertIn("step_time", changed)
        self.assertNotIn("mem_peak", changed)

    # --- show and describe
    def test_show_works_out_rows_with_their_own_layers_and_nccl_and_without_slowdown(self):
        (self.folder / "own.toml").write_text(sweep.replace("pp = [1, 2, 4]", "pp = 2").replace(
            'model = ["gpt3-13b", "gpt3-175b"]', 'model = "gpt3-13b"') + "")
        for contention in ("analytical", "off"):
            self.run_program("own.toml", "-q", "--set", 'space.nccl_version="2.21.5"', "--set",
                             "space.layer_split=[[18, 22]]", "--set", 'simulate.slowdown="off"', "--set",
                             f'simulate.contention="{contention}"', "-o", "own.h5", "--fresh")
            best = self.json_of("top", "own.h5", "-n", "1")["rows"][0]
            self.assertEqual((best["layer_split"], best["nccl_version"]), (0, 22105))
            self.assertEqual(best["slowdown_tax"] == 0, contention == "off")
            page = self.json_of("show", "own.h5", best["config_id"])
            self.assertEqual(page["remark"], "")
            self.assertEqual(len(page["memory_by_stage"]), 2)

    def test_a_file_says_what_its_rows_were_priced_with_and_older_ones_are_judged_by_their_rows(self):
        (self.folder / "told.toml").write_text(sweep.replace("pp = [1, 2, 4]", "pp = 2").replace(
            'model = ["gpt3-13b", "gpt3-175b"]', 'model = "gpt3-13b"'))
        settings = {"slowdown", "contention", "skew_sigma", "skew_draws", "workload_format", "workload_times",
                    "workload_data_groups", "workload_tokens"}
        for slowdown, contention in (("auto", "analytical"), ("off", "flow"), ("auto", "off")):
            self.run_program("told.toml", "-q", "--set", f'simulate.slowdown="{slowdown}"', "--set",
                             f'simulate.contention="{contention}"', "-o", "told.h5", "--fresh")
            with h5py.File(self.folder / "told.h5") as file:
                self.assertLessEqual(settings, set(file.attrs))
                told = tuple(file.attrs[name] for name in ("slowdown", "contention", "workload_times"))
            self.assertEqual(told, (slowdown, contention, ""))
            page = self.json_of("show", "told.h5", "0")
            self.assertEqual(page["remark"], "")
            with h5py.File(self.folder / "told.h5", "r+") as file:
                file.attrs["schema_version"] = "1.6"
                for name in settings:
                    del file.attrs[name]
            append_sums(self.folder / "told.h5")
            self.assertEqual(self.json_of("show", "told.h5", "0"), page)

    def test_a_setting_of_a_later_program_is_no_reason_not_to_read_its_file(self):
        self.run_program("small.toml", "-q", "--set", "space.recompute=full", "-o", "later.h5")
        with h5py.File(self.folder / "later.h5", "r+") as file:
            file.attrs["contention"] = "oracle"
        append_sums(self.folder / "later.h5")
        self.assertIn('knows no contention "oracle"', self.json_of("show", "later.h5", "0")["remark"])

    def test_describe_knows_the_groups_of_a_file(self):
        described = self.json_of("describe", "small.h5")
        groups = {group["name"]: group["description"] for group in described["groups"]}
        self.assertIn("/pareto/train_time", groups)
        with h5py.File(self.folder / "small.h5") as file:
            self.assertEqual(groups["/effects"], file["effects"].attrs["description"])
            self.assertEqual({column["name"] for column in described["columns"]} - set(file),
                             {"breakdown/exposed_time", "breakdown/total_time", "breakdown/path_time", "breakdown/mem"})


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
