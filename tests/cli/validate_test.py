"""`echo-sweep validate` on tables made up for the test.   usage: validate_test.py ECHO_SWEEP"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()

TABLES = {
    "gemm.csv": """gpu,library,dtype,m,n,k,latency_us
h100-sxm,sglang,bfloat16,4096,4096,4096,220
h100-sxm,sglang,fp8,4096,4096,4096,130
h100-sxm,trtllm,bfloat16,128,4096,4096,12
a100-sxm-80gb,vllm,bfloat16,4096,4096,4096,560
tpu-v9,sglang,bfloat16,4096,4096,4096,220
""",
    "attention.csv": """gpu,library,dtype,batch_size,seq_len,num_heads,num_key_value_heads,head_dim,latency_us
h100-sxm,sglang,bfloat16,1,4096,32,8,128,170
h100-sxm,sglang,bfloat16,1,64,32,8,128,12
""",
    "experts.csv": """gpu,library,dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,distribution,latency_us
h100-sxm,sglang,bfloat16,4096,4096,1536,8,128,1,8,balanced,5000
h100-sxm,trtllm,bfloat16,512,4096,1536,8,128,1,8,power_law_1.2,300
h100-sxm,trtllm,bfloat16,4096,4096,1536,8,128,1,8,zipf,700
""",
    "training.csv": """gpu,op,peak_tflops,efficiency,description
b200-sxm,matmul,2250.0,0.6,"b=1, m=4096, k=8192, n=8192, layout=TN, accumulate=False, out_dtype=bf16"
b200-sxm,sdp_bwd,2250.0,0.3,"batch=1, seq_len=4096, head_num=32, kv_head_num=8, qk_head_dim=128, v_head_dim=128"
b200-sxm,bandwidth:ce,,0.8,
""",
    "layers.csv": """gpu,op,num_tokens,hidden,ffn_hidden,heads,kv_heads,gated_ffn,vocab,tp,latency_us
h100-sxm,mlp_up_proj,4096,4096,16384,32,32,False,32000,1,800
h100-sxm,input_layernorm,4096,4096,16384,32,32,False,32000,1,30
""",
    "steps.csv": """row_id,source,framework,gpu,num_gpus,layers,hidden,heads,ffn_hidden,gated_ffn,vocab,seq_len,precision,tp,pp,dp,vpp,micro_batch,global_batch,recompute,schedule,flash_attention,step_time_s,stratum
a,me,megatron-lm,a100-sxm-80gb,16,24,2048,16,8192,0,51200,2048,bf16,8,2,1,1,1,64,full,1f1b,0,9.5,mine
""",
}
TABLES["overlaps.csv"] = """kShortName,ground_truth,duration,overlap_ratio,Compute throughput,Memory throughput,DRAM throughput
gemm,1000,1000,0.0,90,30,10
add,2000,3000,1.0,10,90,90
"""
KERNELS = ["gemm.csv", "attention.csv", "experts.csv", "training.csv", "layers.csv"]


class Validate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in TABLES.items():
            (self.folder / name).write_text(text)

    def run_program(self, *words, code=0):
        done = subprocess.run([PROGRAM, "validate", *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def rows_of(self, *tables):
        self.run_program(*tables, "--csv", "rows.txt")
        with open(self.folder / "rows.txt", newline="") as file:
            return list(csv.DictReader(file))

    def test_every_form_is_recognised_and_scored(self):
        for name in KERNELS:
            with self.subTest(name):
                told = json.loads(self.run_program(name, "--json"))
                self.assertGreaterEqual(told["all"]["scored"], 2)
                self.assertGreaterEqual(told["claimed"]["scored"], 1)
                self.assertLess(told["claimed"]["mean_ape"], 1)  # the made-up times are not that far off

    def test_groups_are_of_gpu_library_and_stratum(self):
        told = json.loads(self.run_program("gemm.csv", "--json"))
        self.assertEqual(set(told["claimed"]["by"]), {"h100-sxm sglang gemm bfloat16", "h100-sxm sglang gemm fp8",
                                                      "a100-sxm-80gb vllm gemm bfloat16"})
        self.assertEqual(told["all"]["by"]["h100-sxm trtllm gemm bfloat16"]["scored"], 1)
        self.assertEqual(told["skipped"], {"no preset for gpu tpu-v9": 1})
        self.assertEqual(told["with_training_constants"]["vllm on a100-sxm-80gb"], 1)

    def test_rows_hold_inputs_measurement_prediction_and_ratio(self):
        rows = self.rows_of(*KERNELS)
        self.assertEqual([(row["file"], row["line"]) for row in rows][:6],
                         [*(("gemm.csv", str(line)) for line in range(2, 7)), ("attention.csv", "2")])
        self.assertEqual((rows[0]["kernel"], rows[0]["m"], rows[0]["precision"]), ("gemm", "4096", "bf16"))
        for row in rows:
            if row["status"] == "ok":
                self.assertAlmostEqual(float(row["predicted"]) / float(row["measured"]) / float(row["ratio"]), 1, 4)
                self.assertIn(row["grade"], ("measured", "interpolated", "modelled", "extrapolated"))
        self.assertEqual([row["in_region"] for row in rows][:3], ["1", "1", "0"])
        efficiency = next(row for row in rows if row["quantity"] == "efficiency")
        self.assertEqual(float(efficiency["measured"]), 0.6)
        self.assertAlmostEqual(float(efficiency["seconds"]), 2 * 4096 * 8192 * 8192 / (2250e12 * 0.6), 9)

    def test_several_tables_are_summed_up_and_only_steps_are_shown_one_by_one(self):
        text = self.run_program("gemm.csv", "steps.csv", "training.csv", "overlaps.csv")
        summary = text[text.rindex("table"):]
        for name, form in (("gemm.csv", "gemm"), ("steps.csv", "training steps"), ("training.csv", "training efficiency"),
                           ("overlaps.csv", "slowdown")):
            self.assertEqual(f"== {name}: {form}\n" in text, name == "steps.csv")
            self.assertIn(f"{name} ({form})", summary)
            self.assertIn(f"== {name}: {form}\n", self.run_program("gemm.csv", "steps.csv", "training.csv", "overlaps.csv",
                                                                  "--by", "all"))
        told = json.loads(self.run_program("gemm.csv", "steps.csv", "--json"))
        self.assertEqual([(table["file"], table["form"], table["scored"]) for table in told["summary"]],
                         [("gemm.csv", "gemm", 3), ("steps.csv", "training steps", 1)])
        self.assertEqual(told["tables"][0], {"file": "gemm.csv", **json.loads(self.run_program("gemm.csv", "--json"))})

    def test_tables_of_one_form_are_summed_up_together(self):
        told = json.loads(self.run_program("gemm.csv", "gemm.csv", "steps.csv", "--json"))
        self.assertEqual({form: errors["scored"] for form, errors in told["forms"].items()}, {"gemm": 6})
        self.assertIn("all gemm ", self.run_program("gemm.csv", "gemm.csv", "steps.csv"))

    def test_a_table_of_steps_is_scored_in_every_grouping(self):
        told = json.loads(self.run_program("steps.csv", "--json"))
        self.assertEqual(told["rows"], 1)
        self.assertEqual(set(told["by"]), {"source", "stratum", "gpu", "framework", "gpus", "precision", "feature", "mfu",
                                           "memory_source", "memory_kind"})
        self.assertEqual(told["by"]["stratum"]["mine"]["scored"], 1)
        self.assertEqual(set(told["by"]["feature"]), {"tp", "pp", "full recompute", "unfused attention"})
        self.assertEqual(set(told["by"]["gpus"]), {"9-64"})
        self.assertEqual(told["worst"][0]["row"], "a")
        self.assertEqual(told["ranking"]["all"]["pairs"], 0)
        self.assertEqual(self.rows_of("steps.csv")[0]["row"], "a")

    def test_text_shows_the_groupings_that_are_asked_for(self):
        usual, features = self.run_program("steps.csv"), self.run_program("steps.csv", "--by", "feature,mfu")
        self.assertTrue(usual.startswith("stratum "))
        self.assertNotIn("full recompute  ", usual)
        self.assertTrue(features.startswith("feature "))
        self.assertIn("full recompute  ", features)
        self.assertIn("did you mean", self.run_program("steps.csv", "--by", "stratun", code=2))

    def test_markdown_has_the_error_tables_alone(self):
        self.assertRegex(self.run_program("steps.csv", "--by", "source", "--markdown"),
                         r"^\| source \| rows \|.*\n\|---\|.*\n\| me \| 1 \|.*\n\| all \| 1 \|.*\n\n$")

    def test_a_group_that_is_expected_and_has_no_scored_row_is_exit_4(self):
        self.run_program("steps.csv", "--expect", "mine, feature=tp, all")
        told = self.run_program("steps.csv", "--expect", "mine,korthikanti22", code=4)
        self.assertIn('no row of "korthikanti22" is scored', told)

    def test_the_worst_rows_are_shown_with_their_breakdown(self):
        text = self.run_program("steps.csv", "--worst", "1")
        self.assertIn("a (me, mine): ", text)
        self.assertIn("a guess: ", text)
        self.assertNotIn("worst rows", self.run_program("steps.csv", "--worst", "0"))

    def test_overlaps_are_judged_by_the_chosen_model_beside_no_slowdown(self):
        text = self.run_program("overlaps.csv")
        for words in ("contention, rows that overlap  ", "no slowdown, all rows", 'contention beats "no slowdown": its mean'):
            self.assertIn(words, text)
        off = json.loads(self.run_program("overlaps.csv", "--slowdown", "off", "--json"))
        self.assertEqual(off["all"]["mean_ape"], off["no_slowdown"]["mean_ape"])
        self.assertAlmostEqual(off["overlapping"]["mean_ape"], 1 / 3)
        self.assertEqual([row["kernel"] for row in self.rows_of("overlaps.csv")], ["gemm", "add"])

    def test_the_same_tables_give_the_same_bytes(self):
        once = self.rows_of(*KERNELS), self.run_program(*KERNELS)
        self.assertEqual((self.rows_of(*KERNELS), self.run_program(*KERNELS)), once)

    def test_an_unknown_table_is_refused_with_the_headers_that_are_known(self):
        (self.folder / "tea.csv").write_text("kettle,minutes\nred,4\n")
        told = self.run_program("gemm.csv", "tea.csv", "--csv", "rows.txt", code=2)
        self.assertIn("tea.csv:1", told)
        for columns in ("kShortName", "step_time_s", "m, n, k, latency_us", "seq_len, num_heads", "peak_tflops, efficiency",
                        "num_tokens, hidden, ffn_hidden", "num_experts, moe_tp_size"):
            self.assertIn(columns, told)
        self.assertFalse((self.folder / "rows.txt").exists())

    def test_cells_that_cannot_be_are_told_by_file_and_line(self):
        for cell, why in (("", "latency_us is blank"), ("nan", '"nan" is not a number'), ("-5", "not above zero")):
            (self.folder / "gemm.csv").write_text(TABLES["gemm.csv"].replace(",130\n", f",{cell}\n"))
            told = self.run_program("gemm.csv", "--csv", "rows.txt", code=2)
            self.assertIn("gemm.csv:3:36: error:", told)
            self.assertIn(why, told)
        self.assertFalse((self.folder / "rows.txt").exists())

    def test_mistakes_of_all_tables_are_told_at_once(self):
        (self.folder / "gemm.csv").write_text(TABLES["gemm.csv"].replace(",130\n", ",fast\n"))
        (self.folder / "steps.csv").write_text(TABLES["steps.csv"].replace("seq_len", "seq_length").replace(",24,", ",2x,"))
        (self.folder / "empty.csv").write_text("")
        (self.folder / "header.csv").write_text(TABLES["layers.csv"].splitlines()[0] + "\n")
        (self.folder / "tea.csv").write_text("kettle,minutes\nred,4\n")
        told = self.run_program("steps.csv", "gemm.csv", "empty.csv", "header.csv", "tea.csv", "missing.csv",
                                "attention.csv", code=2)
        for words in ("gemm.csv:3:36: error:", "steps.csv:2:35: error:", 'did you mean "seq_len"?', "empty.csv:1:1: error: the table is empty",
                      "header.csv:1:1: error: the table has a header but no rows", "tea.csv:1:1: error:",
                      "cannot read the table missing.csv"):
            self.assertIn(words, told)
        self.assertNotIn("attention.csv:", told)

    def test_a_column_that_nobody_looks_at_is_a_warning(self):
        (self.folder / "steps.csv").write_text(TABLES["steps.csv"].replace("stratum\n", "stratum,who\n").replace("mine\n", "mine,I\n"))
        done = subprocess.run([PROGRAM, "validate", "steps.csv"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn('warning: column "who" is unknown', done.stderr)
        self.assertEqual(done.stdout.replace("who", ""), done.stdout)

    def test_rows_of_steps_and_kernels_do_not_share_a_file(self):
        self.assertIn("separately", self.run_program("gemm.csv", "steps.csv", "--csv", "rows.txt", code=2))
        self.assertFalse((self.folder / "rows.txt").exists())

    def test_a_file_that_cannot_be_written_is_exit_5(self):
        self.run_program("gemm.csv", "--csv", "no/such/folder.csv", code=5)

    def test_collectives_are_told_by_their_columns_and_scored_by_what_the_words_of_their_network_say(self):
        (self.folder / "nccl.csv").write_text(
            "gpu,gpus_per_node,nodes,ranks,collective,size_bytes,time_us_out,time_us_in,network,nccl_version,note\n"
            "H100-SXM5-80GB,8,2,16,all_reduce,1073741824,4512,4500,IB NDR 8x400Gb/s,2.23.4,\n"
            "H100-SXM5-80GB,8,2,16,all_reduce,1048576,123.2,400,EFA 32x100Gb/s,unknown,\n"
            "H100-SXM5-80GB,8,4,32,all_gather,67108864,600,600,tin cans and string,unknown,\n"
            "TPU v9,8,1,8,all_reduce,1048576,50,50,,,\n")
        text = self.run_program("nccl.csv")
        for piece in ["default-h100", "aws-efa-h100", "4 rows read, 3 scored, of these 1 not steady", "tin cans and string",
                      "no preset for gpu TPU v9", "d: >= 64 MiB"]:
            self.assertIn(piece, text)
        told = json.loads(self.run_program("nccl.csv", "--json"))
        self.assertEqual(told["claimed"]["scored"], 2)
        self.assertEqual(told["by"]["size"]["d: >= 64 MiB"]["scored"], 2)
        self.run_program("nccl.csv", "--csv", "rows.txt")
        with open(self.folder / "rows.txt") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["status"] for row in rows], ["ok", "ok", "ok", "skipped"])
        self.assertAlmostEqual(float(rows[0]["ratio"]), 1.0, delta=0.1)
        self.assertEqual(rows[0]["algorithm"], "nvls_tree")

    def test_a_collective_that_no_run_can_have_is_refused_with_its_place(self):
        (self.folder / "nccl.csv").write_text("gpu,nodes,ranks,collective,size_bytes,time_us_out\nh100,4,2,all_reduce,8,9\n")
        self.assertIn("nccl.csv:2", self.run_program("nccl.csv", code=2))

    def test_calibrate_writes_a_preset_that_is_read_again(self):
        def log(nodes, rows):
            ranks = "".join(f"#  Rank {r} Group 0 Pid {r} on n{r // 8} device {r % 8} [0x00] NVIDIA H100 80GB HBM3\n"
                            for r in range(8 * nodes))
            return "# nThread 1 nGpus 1\n" + ranks + "".join(
                f"{size} {size // 4} float sum -1 {us} 1 1 0 {us} 1 1 0\n" for size, us in rows)
        (self.folder / "one_all_reduce_perf.log").write_text(log(1, [(1 << 20, 27.4), (1 << 26, 324.7), (1 << 30, 4029)]))
        (self.folder / "two_all_reduce_perf.log").write_text(log(2, [(4096, 40), (1 << 20, 87), (1 << 26, 472), (1 << 30, 4512)]))
        done = subprocess.run([PROGRAM, "calibrate", "nccl", "one_all_reduce_perf.log", "two_all_reduce_perf.log", "--network",
                               "8x400Gb/s IB", "--name", "here", "--date", "2026-01-01"],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('network = "here"', done.stdout)
        (self.folder / "presets/networks").mkdir(parents=True)
        (self.folder / "here.toml").rename(self.folder / "presets/networks/here.toml")
        listed = subprocess.run([PROGRAM, "presets", "list", "networks", "--preset-path", "presets"], cwd=self.folder,
                                capture_output=True, text=True, timeout=60)
        self.assertIn("here", listed.stdout + listed.stderr)


class PublishedTables(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(os.environ.get("ECHO_DATA_DIR", ""))
        if "ECHO_DATA_DIR" not in os.environ or not (self.folder / "steps/measured_steps.csv").exists():
            self.skipTest("no tables at ECHO_DATA_DIR")

    def test_all_of_them_are_read_by_one_command_and_every_stratum_is_scored(self):
        tables = sorted(table for form in ("steps", "kernels", "collectives", "slowdown")
                        for table in (self.folder / form).glob("*.csv"))
        done = subprocess.run([PROGRAM, "validate", *tables, "--json", "--expect", "all"], capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual({one["form"] for one in told["summary"]},
                         {"training steps", "gemm", "attention", "experts", "layer ops", "training efficiency", "collectives",
                          "slowdown"})
        for one in told["summary"]:
            with self.subTest(one["file"]):
                self.assertGreater(one["scored"], 0)
                self.assertLess(one["mean_ape"], 0.6)
        steps = next(table for table in told["tables"] if "ranking" in table)
        self.assertGreater(steps["scored"], 1500)
        self.assertGreater(steps["ranking"]["all"]["mean_tau"], 0.7)
        # What assuming no slowdown costs on Echo's table, as its authors' rows give it: 11.7 % in the mean.
        slowdown = next(table for table in told["tables"] if table.get("table") == "slowdown")
        self.assertAlmostEqual(slowdown["no_slowdown"]["mean_ape"], 0.117, places=3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)  # says why a test was skipped
