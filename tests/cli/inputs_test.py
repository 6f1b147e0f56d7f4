"""Inputs that are wrong, huge or hostile: refused in a moment, with the place, and nothing is written.

usage: inputs_test.py ECHO_SWEEP
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import bombs  # noqa: E402

PROGRAM = sys.argv.pop(1)
SWEEP = """title = "Small"

[space]
model = "gpt3-13b"
cluster = "h800-96"
gpus = 16
tp = [1, 2, 4]
pp = [1, 2, 4]
global_batch = 64
"""
HANGS = 10  # seconds; what is right takes a tenth of one
MEBIBYTE = 1 << 20


class Inputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.sweep = self.folder / "s.toml"

    def run_program(self, *arguments, code=2, most=None):
        """`most`: bytes of address space, beyond which the program could only crash."""
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))) if most else None
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=HANGS, cwd=self.folder,
                              preexec_fn=limit, check=False)
        text = done.stdout.decode() + done.stderr.decode()
        self.assertEqual(done.returncode, code, text[-3000:])
        for byte in (done.stdout + done.stderr).replace(b"\n", b"").replace(b"\t", b""):
            self.assertTrue(0x20 <= byte != 0x7F, text[-3000:])
        return text

    def refused(self, sweep, *lines):
        """`check` and a run say all of `lines`, and leave no file."""
        self.sweep.write_text(sweep)
        for command in (["check", "s.toml"], ["s.toml", "--progress", "none"]):
            text = self.run_program(*command)
            for line in lines:
                self.assertIn(line, text)
            self.assertLess(len(text), 5000)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["s.toml"])

    # --- sweeps
    def test_a_nul_in_the_name_of_the_result_file(self):
        self.refused(SWEEP + '[output]\nfile = "a\\u0000b.h5"\n', "s.toml:11:9: error: a text holds the control character")

    def test_keys_nested_fifty_thousand_deep(self):
        self.refused(SWEEP + ".".join(["a"] * 50_000) + " = 1\n", "s.toml:10:1: error: this key has more than 16 parts")
        self.refused(SWEEP + "[" + ".".join(["a"] * 50_000) + "]\n", "s.toml:10:2: error: this key has more than 16 parts")

    def test_a_million_values_on_an_axis(self):
        values = ", ".join(map(str, range(1, 1_000_001)))
        self.refused(SWEEP + f"micro_batch = [{values}]\n", "s.toml:10:15: error: micro_batch has 1000000 values",
                     "at most 100 000")

    def test_a_hundred_thousand_equal_values(self):
        self.sweep.write_text(SWEEP.replace("global_batch = 64", "global_batch = [" + "64, " * 99_999 + "64]"))
        text = self.run_program("check", "s.toml", code=0)
        self.assertIn("there are more problems than these 500", text)
        self.assertIn("s.toml: ok", text)

    def test_ten_megabytes_of_a_name(self):
        self.refused(SWEEP.replace("gpt3-13b", "m" * 10_000_000),
                     "s.toml:4:10: error: a text of 10000000 bytes is too long")

    def test_ten_megabytes_of_a_title(self):
        self.refused(SWEEP.replace("Small", "t" * 10_000_000), "s.toml:1:10: error: a text of 10000000 bytes is too long")

    def test_twenty_thousand_rules(self):
        rules = "".join(f'[[keep]]\nname = "r{i}"\nexpr = "tp <= 8"\n' for i in range(20_000))
        self.refused(SWEEP + rules, "s.toml:10:1: error: keep has 20000 entries", "write 1000 or fewer")
        derived = "".join(f'd{i} = "tp + {i}"\n' for i in range(20_000))
        self.refused(SWEEP + "[derive]\n" + derived, "s.toml:10:1: error: derive has 20000 names")

    def test_many_groups_of_many_rules(self):
        groups = "".join(f'[[space.group]]\nname = "g{i}"\n' for i in range(1000))
        rules = "".join(f'[[keep]]\nname = "r{i}"\nexpr = "tp <= 8"\n' for i in range(1000))
        self.refused(SWEEP + groups + rules, "1000 groups with 1000 rules each are too many")

    def test_a_division_by_zero(self):
        self.refused(SWEEP + '[derive]\nz = "gpus / (tp - tp)"\n',
                     "s.toml:11:11: error: this divides by zero in every combination")
        self.refused(SWEEP + '[[keep]]\nname = "k"\nexpr = "gpus % 0 == 0"\n', "s.toml:12:14: error: this divides by zero")

    def test_rules_that_leave_nothing(self):
        self.sweep.write_text(SWEEP + '[[keep]]\nname = "none"\nexpr = "tp > 8"\n')
        self.assertIn('s.toml: warning: the rules leave no combination; "none" removes the most, 9 of 9',
                      self.run_program("check", "s.toml", code=0))

    def test_a_space_that_takes_long_to_number_says_so(self):
        self.sweep.write_text(SWEEP.replace("global_batch = 64", "global_batch = { from = 1, to = 100000 }")
                              + "micro_batch = { from = 1, to = 100000 }\n")
        started = subprocess.Popen([PROGRAM, "s.toml"], stderr=subprocess.PIPE, cwd=self.folder)
        self.assertIn(b"numbering the points among 90 000 000 000 combinations", started.stderr.readline())
        started.kill()
        started.communicate()

    def test_a_folder_of_presets_that_is_not_there(self):
        self.sweep.write_text(SWEEP)
        for command in (["check", "s.toml"], ["s.toml"], ["plan", "s.toml"], ["presets", "list"]):
            self.assertIn('--preset-path "none" is not a folder', self.run_program(*command, "--preset-path", "none"))

    def test_a_sweep_with_less_memory_than_its_presets_take(self):
        self.sweep.write_text(SWEEP)
        text = self.run_program("check", "s.toml", "--max-memory", "1 MiB")
        self.assertIn("s.toml: error: reading it takes more memory than the limit", text)
        self.assertIn("--max-memory raises", text)
        self.assertIn("unknown unit", self.run_program("check", "s.toml", "--max-memory", "1 MiX"))

    # --- what reaches the terminal; run_program looks at every byte
    def test_control_characters_are_shown_not_obeyed(self):
        evil = "\x1b]0;title\x07\x1b[31m"
        self.refused(SWEEP.replace("Small", evil), "\\x1b]0;title\\x07")
        self.refused(SWEEP.replace("gpt3-13b", "gpt\\u001b[31m\\u009b"), "\\x1b[31m")
        self.run_program("check", f"{evil}.toml")
        self.run_program("check", "s.toml", "--set", f"space.{evil}=1")
        self.run_program(f"--{evil}", "x")
        (self.folder / "t.csv").write_text(f"{evil},b\n1,2\n")
        self.run_program("validate", "t.csv")
        (self.folder / "t.jsonl").write_text(f'{{"echo_trace": 1, "{evil}": 2}}\n')
        self.run_program("trace-info", "t.jsonl")

    def test_names_in_a_trace_are_shown_not_obeyed(self):
        lines = ['{"echo_trace": 1, "world": 2, "gpu": "H\\u001b[31m", "notes": ["n\\u0007"], "groups": '
                 '[{"name": "g\\u001b[1m", "role": "data", "ranks": [0, 1]}]}', '{"rank": 0}',
                 '{"name": "k\\u001b[2J", "duration_ns": 5}',
                 '{"kind": "collective", "collective": "all_reduce", "group": "g\\u001b[1m", "bytes": 8}']
        (self.folder / "t.jsonl").write_text("\n".join(lines) + "\n")
        self.assertIn("\\x1b", self.run_program("trace-info", "t.jsonl", code=0))
        found = json.loads(self.run_program("trace-info", "t.jsonl", "--json", code=0))
        self.assertIn("\x1b[31m", json.dumps(found, ensure_ascii=False).replace("\\u001b", "\x1b"))

    # --- bombs
    def test_bombs_of_every_format_are_refused_at_the_limit(self):
        limit = 16 * MEBIBYTE
        for name, write in bombs.BOMBS.items():
            with self.subTest(name):
                path = self.folder / name
                write(path, 200_000 if name != "attributes.0.et" else 1_000_000)
                text = self.run_program("trace-info", name, "--max-memory", f"{limit // MEBIBYTE} MiB",
                                        most=2048 * MEBIBYTE)
                self.assertIn(f"{name}: error: reading it takes more memory than the limit of 16 MiB", text)
                self.assertIn("--max-memory raises the limit", text)
                path.unlink()

    def test_a_count_in_a_header_allocates_nothing(self):
        (self.folder / "a.txt").write_text("DATA\n1000000000000\na -1 7 NONE 0 6 NONE 0 5 ALLREDUCE 8 10\n")
        self.assertIn("1000000000000 layers are announced", self.run_program("trace-info", "a.txt", most=1024 * MEBIBYTE))
        (self.folder / "a.0.et").write_bytes(b"\xff\xff\xff\xff\x0f" + b"x")
        self.run_program("trace-info", "a.0.et", most=1024 * MEBIBYTE)
        (self.folder / "w.jsonl").write_text('{"echo_trace": 1, "world": 2147483647}\n{"rank": 0}\n{"name": "a"}\n')
        self.run_program("trace-info", "w.jsonl", code=0, most=1024 * MEBIBYTE)

    def test_ops_nested_as_deep_as_the_file_is_long(self):
        (self.folder / "k.json").write_text(
            bombs.KINETO_HEAD + ",".join([bombs.KINETO_OPS % (5, 1, 6, 1, 1, 7, 1, 1)] * 100_000) + "]}")
        self.run_program("trace-info", "k.json", code=0)


if __name__ == "__main__":
    unittest.main()
