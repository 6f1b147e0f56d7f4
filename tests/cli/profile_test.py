"""Measured kernels from a table to the price of a step.   usage: profile_test.py ECHO_SWEEP"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

program = ""

# One GPU, and a host that is always ahead: nothing overlaps, so that a longer kernel makes the step as much longer.
sweep = """
schema = 1
name = "one"

[space]
model = "gpt3-1.3b"
cluster = "h800-96"
gpus = 1
micro_batch = 1
global_batch = 4
precision = "bf16"
cuda_graphs = true
"""
layers, microbatches, hidden, tokens = 24, 4, 2048, 2048
norms = (2 * layers + 1) * microbatches  # two a layer, and the last one

table = f"gpu,kind,precision,m,n,duration_us\nh800,norm_forward,bf16,{tokens},{hidden},60\n"


class Profile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("one.toml", sweep)
        self.write("norm.csv", table)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)

    def run_program(self, *words, code=0):
        done = subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env=os.environ)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def json_of(self, *words):
        return json.loads(self.run_program(*words, "--json").stdout)

    def row_of(self, file):
        return json.loads(self.run_program("export", file, "--format", "jsonl").stdout)

    def imported(self, name="norm", *words):
        self.run_program("profile", "import", f"{name}.csv", "-o", f"{name}.h5", *words)
        return f"{name}.h5"

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    # --- a step priced by measurements
    def test_a_step_grows_by_what_its_kernels_take_longer(self):
        profile = self.imported()
        (kernel,) = self.json_of("profile", "show", profile)
        self.run_program("run", "one.toml", "-o", "without.h5")
        self.run_program("run", "one.toml", "-o", "with.h5", "--profile", profile)
        without, priced = self.row_of("without.h5"), self.row_of("with.h5")
        longer = norms * (60e-6 - kernel["modelled"])
        self.assertGreater(longer, 1e-3)
        self.assertAlmostEqual(priced["step_time"] - without["step_time"], longer, delta=1e-8)
        self.assertEqual(without["measured_share"], 0)
        self.assertGreater(priced["measured_share"], 0.05)

    def test_the_sweep_names_its_profiles_beside_itself(self):
        self.write("there/one.toml", sweep + '\n[simulate]\nprofiles = ["norm.h5"]\n')
        os.rename(self.folder / self.imported(), self.folder / "there/norm.h5")
        self.run_program("there/one.toml", "-o", "with.h5")
        self.assertGreater(self.row_of("with.h5")["measured_share"], 0)
        kernels = {one["kernel"]: one["price"] for one in self.json_of("show", "with.h5", "0")["kernels"]}
        self.assertEqual(kernels[f"norm_forward {tokens}x{hidden}"], "measured")
        self.assertEqual(self.json_of("show", "with.h5", "0")["remark"], "")
        self.run_program("check", "there/one.toml")
        os.remove(self.folder / "there/norm.h5")
        self.assertIn("there is no file", self.run_program("there/one.toml", "-o", "no.h5", code=2).stderr)
        self.assertNotIn("no.h5", self.files())
        self.assertIn("norm.h5", self.json_of("show", "with.h5", "0")["remark"])

    def test_rows_of_another_profile_are_not_mixed(self):
        profile = self.imported()
        self.run_program("run", "one.toml", "-o", "a.h5", "--profile", profile)
        self.assertIn("complete", self.run_program("run", "one.toml", "-o", "a.h5", "--profile", profile).stdout)
        self.write("other.csv", table.replace(",60", ",61"))
        for words in [(), ("--profile", self.imported("other"))]:
            done = self.run_program("run", "one.toml", "-o", "a.h5", *words, code=5)
            self.assertIn("the calibration changed", done.stderr)

    def test_a_file_that_is_no_profile_stops_the_sweep(self):
        self.run_program("one.toml", "-o", "rows.h5")
        for file in ["rows.h5", "norm.csv", "none.h5"]:
            self.run_program("one.toml", "-o", "out.h5", "--profile", file, code=2)
        self.assertNotIn("out.h5", self.files())

    # --- import
    def test_bad_rows_are_told_at_once_and_nothing_is_written(self):
        self.write("bad.csv", table + "h800,norm,bf16,1,1,1\nv9,norm_forward,bf16,1,1,1\n")
        done = self.run_program("profile", "import", "norm.csv", "bad.csv", "-o", "bad.h5", code=2)
        self.assertIn("bad.csv:3", done.stderr)
        self.assertIn("bad.csv:4", done.stderr)
        self.assertNotIn("bad.h5", self.files())

    def test_published_tables_stand_for_their_library_unless_told(self):
        self.write("gemm.csv", "gpu,library,dtype,m,n,k,latency_us\nh800,sglang,bfloat16,4096,4096,4096,250\n")
        self.imported("gemm")
        self.assertEqual(self.json_of("profile", "list", "gemm.h5")["groups"][0]["library"], "sglang")
        self.imported("gemm", "--as-library", "training", "--library-version", "cuBLAS 12.6", "--date", "May")
        listed = self.json_of("profile", "list", "gemm.h5")
        self.assertEqual(listed["groups"][0]["library"], "training")
        self.assertEqual(listed["origins"],
                         [{"table": "gemm.csv", "library_version": "cuBLAS 12.6", "date": "May"}])
        self.run_program("profile", "import", "gemm.csv", "-o", "x.h5", "--as-library", "cublas", code=2)

    def test_a_wrong_unit_is_suspected(self):
        self.write("ms.csv", table.replace(",60", ",60000"))
        done = self.run_program("profile", "import", "ms.csv", "-o", "ms.h5")
        self.assertIn("are the units right?", done.stderr)

    # --- merge, show, diff
    def test_files_that_disagree_are_told_of_and_their_median_counts(self):
        self.write("other.csv", table.replace(",60", ",90"))
        done = self.run_program("profile", "merge", "-o", "both.h5", self.imported(), self.imported("other"))
        self.assertIn("1 kernels differ by more than 20 %", done.stdout)
        self.assertEqual(self.json_of("profile", "list", "both.h5")["groups"][0]["rows"], 2)
        self.run_program("run", "one.toml", "-o", "with.h5", "--profile", "both.h5")
        (kernel,) = [one for one in self.json_of("show", "with.h5", "0")["kernels"]
                     if one["kernel"] == f"norm_forward {tokens}x{hidden}"]
        gap = 1e-6 * 5  # between kernels, at most
        self.assertTrue(75e-6 <= kernel["seconds_each"] <= 75e-6 + gap, kernel)
        self.assertAlmostEqual(kernel["error"], 0.2, delta=1e-3)

    def test_what_is_in_both_counts_once(self):
        profile = self.imported()
        self.run_program("profile", "merge", "-o", "both.h5", profile, profile)
        self.assertEqual((self.folder / "both.h5").read_bytes(), (self.folder / profile).read_bytes())

    def test_show_chooses_rows_by_an_expression(self):
        self.write("more.csv", table + f"h800,norm_forward,bf16,{2 * tokens},{hidden},110\n")
        profile = self.imported("more")
        rows = self.json_of("profile", "show", profile, "--where", "kind == 'norm_forward' and duration > 100 us")
        self.assertEqual([row["m"] for row in rows], [2 * tokens])
        self.run_program("profile", "show", profile, "--where", "kind == 'nrom'", code=2)

    def test_diff_says_how_equal_kernels_differ(self):
        self.write("other.csv", table.replace(",60", ",66") + "h800,memset_zero,bf16,1000,4,5\n")
        found = self.json_of("profile", "diff", self.imported(), self.imported("other"))
        self.assertEqual((found["in_both"], found["only_first"], found["only_second"]), (1, 0, 1))
        self.assertAlmostEqual(found["groups"][0]["median_ratio"], 1.1)


if __name__ == "__main__":
    program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
