"""Rows as launch files and back: `launch`, `import`, what they refuse, and a space around a job.

usage: launch_test.py ECHO_SWEEP
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

SWEEP = """
[space]
model = "llama3-8b"
cluster = "dgx-h100-ndr400"
recipe = "nvidia-performance"
gpus = 32
tp = [1, 4]
pp = [1, 2]
micro_batch = [1, 2]
global_batch = 64
nccl_algo = ["auto", "ring"]
"""
SUFFIX = {"megatron-lm": "sh", "megatron-bridge": "yaml", "nemo": "yaml", "nemo-1": "yaml", "torchtitan": "toml",
          "deepspeed": "json", "nanotron": "yaml"}
TINY = """#!/bin/bash
N=2
ARGS=(--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --max-position-embeddings 2048
      --tokenizer-type GPT2BPETokenizer --lr 1e-4 --ddp-bucket-size 1000 --no-such-flag)
torchrun --nnodes $N --nproc-per-node 8 pretrain_gpt.py ${ARGS[@]} --micro-batch-size 2 --global-batch-size 64 \\
  --seq-length 2048 --tensor-model-parallel-size 4 --bf16
"""


class Launch(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "small.toml").write_text(SWEEP)
        (cls.folder / "tiny.sh").write_text(TINY)
        cls.told("small.toml", "-q")
        cls.ids = cls.told("export", "small.h5", "--columns", "config_id").split()[1:]

    def test_every_framework_gives_the_row_back(self):
        for framework, suffix in SUFFIX.items():
            with self.subTest(framework=framework):
                file, row, name = f"job.{suffix}", self.ids[-1], f"again-{framework}"
                text = self.told("launch", "small.h5", row, "--for", framework)
                (self.folder / file).write_text(text)
                again = re.search(r"echo-sweep import FILE (.*?)\"?,?\n", text)[1].split()
                self.told("import", file, "--from", framework, *again, "-o", f"{name}.toml")
                self.told(f"{name}.toml", "-q")
                self.assertEqual(self.told("export", f"{name}.h5", "--columns", "config_id").split()[1:], [row], text)

    def test_the_framework_is_found_out(self):
        for framework in ("megatron-lm", "torchtitan", "nanotron"):
            file = f"found.{SUFFIX[framework]}"
            self.told("launch", "small.h5", self.ids[0], "--for", framework, "-o", file)
            done = self.run_program("import", file, "--cluster", "dgx-h100-ndr400", "--gpus", "32", "--set",
                                    "model=llama3-8b", "-o", "found.toml")
            self.assertNotIn("unknown", done.stderr.replace("0 unknown", ""), framework)
            self.assertIn("read as " + {"megatron-lm": "Megatron-LM"}.get(framework, framework),
                          (self.folder / "found.toml").read_text())

    def test_settings_are_taken_over_or_named(self):
        done = self.run_program("import", "tiny.sh", "--cluster", "dgx-h100-ndr400", "-o", "tiny.toml")
        self.assertIn("tiny.sh:4:51: not simulated: --ddp-bucket-size 1000: bucket sizes", done.stderr)
        self.assertIn("tiny.sh:4:74: unknown to Megatron-LM", done.stderr)
        text = (self.folder / "tiny.toml").read_text()
        self.assertIn("[models.imported]", text)
        self.assertIn("ignored, as they change no step's time or memory: --lr\n", text)
        self.told("tiny.toml", "-q")
        self.assertEqual(self.told("export", "tiny.h5", "--columns", "tp,dp,micro_batch").split()[1:], ["4,4,2"])
        self.run_program("launch", "tiny.h5", "0", "--for", "megatron-lm")

    def test_a_space_around_the_job_holds_it(self):
        self.told("import", "tiny.sh", "--cluster", "dgx-h100-ndr400", "--space", "-o", "around.toml")
        self.told("import", "tiny.sh", "--cluster", "dgx-h100-ndr400", "-o", "point.toml")
        for name in ("around", "point"):
            self.told(f"{name}.toml", "-q")
        point = self.told("export", "point.h5", "--columns", "config_id").split()[1]
        around = self.told("export", "around.h5", "--columns", "config_id").split()[1:]
        self.assertIn(point, around)
        self.assertGreater(len(around), 50)

    def test_all_problems_in_one_pass(self):
        (self.folder / "bad.sh").write_text("--tensor-model-parallel-size two\n--micro-batch-size 0\n--num-layers 4\n")
        done = self.run_program("import", "bad.sh", "-o", "none.toml", code=2)
        for words in ("bad.sh:1:1", '"two" is no whole number', "bad.sh:2:1", '"0" is no whole number', "no launch file",
                      "number of GPUs is not said", "hidden, heads, vocab missing"):
            self.assertIn(words.replace("no launch file", "a launch file does not say"), done.stderr)
        self.assertFalse((self.folder / "none.toml").exists())

    def test_faults_of_syntax_have_a_place(self):
        for name, text, place in (("a.json", '{"a": 1,\n "b" 2}', "a.json:2"), ("a.yaml", "a: [1\nb: 2\n", "a.yaml:"),
                                  ("a.toml", "a = \n", "a.toml:1"), ("a.sh", "nothing here\n", "a.sh")):
            (self.folder / name).write_text(text)
            self.assertIn(place, self.run_program("import", name, "--cluster", "dgx-h100-ndr400", code=2).stderr)

    def test_unknown_names_are_refused(self):
        self.assertIn("did you mean", self.run_program("launch", "small.h5", "0", "--for", "megatron", code=2).stderr)
        self.assertIn("no-such", self.run_program("import", "tiny.sh", "--cluster", "no-such", code=2).stderr)
        self.run_program("import", "tiny.sh", "--from", "none", "--cluster", "dgx-h100-ndr400", code=2)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
