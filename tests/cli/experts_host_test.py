"""Host time of experts: what a call for all experts of a rank costs the host, where it binds a step and where it does not.

usage: experts_host_test.py ECHO_SWEEP
"""

import csv
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SWEEP = """name = "experts"
[frameworks.quick]
base = "megatron-bridge"
grade = "assumed"
source = "as it comes, with nothing but its loop in C++ over experts"
host_per_expert = { value = "9 us", source = "SimuMax", grade = "measured" }
[space]
model = "qwen3-30b-a3b"
cluster = "dgx-b200"
precision = "mxfp8"
fp8_gather = false
framework = ["megatron-bridge", "quick"]
gpus = 8
ep = [4, 8]
micro_batch = [1, 4]
cuda_graphs = [false, true]
global_batch = 512
seq_len = 4096
"""


class ExpertsHost(unittest.TestCase):
    def test_more_of_it_slows_steps_that_the_host_binds_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "experts.toml").write_text(SWEEP)
            for words in (("experts.toml", "-q"), ("export", "experts.h5", "-o", "rows.csv")):
                done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            rows = list(csv.DictReader(io.StringIO((pathlib.Path(folder) / "rows.csv").read_text())))
        column = next(name for name in rows[0] if name.startswith("step_time") and "slowdown" not in name)
        times = {}
        for row in rows:
            key = tuple(row[axis] for axis in ("ep", "micro_batch", "cuda_graphs"))
            times.setdefault(key, {})[row["framework"]] = float(row[column])
        slower = {key: time["megatron-bridge"] / time["quick"] for key, time in times.items() if len(time) == 2}
        self.assertEqual(len(slower), 8)
        self.assertGreater(slower["8", "1", "off"], 1.1)
        # twice the experts on a rank
        self.assertGreater(slower["4", "1", "off"], slower["8", "1", "off"])
        self.assertLess(slower["8", "4", "off"], 1.05)
        for experts in ("4", "8"):
            for sequences in ("1", "4"):
                self.assertEqual(slower[experts, sequences, "on"], 1.0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
