"""What verify says of whole files, damaged ones, ones of older programs, and tables of measurements; and what a relaunch
says over a damaged file.   usage: verify_test.py ECHO_SWEEP WRITE_OVERLAPS"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from block_sums import append_sums, sums_of  # noqa: E402
from program_case import ProgramCase  # noqa: E402

write_overlaps = ""

sweep = """
schema = 1
name = "small"

[space]
model = "llama3-8b"
cluster = "dgx-h100-ndr400"
gpus = 16
tp = [1, 2, 4]
pp = [1, 2]
global_batch = 64
"""


class Verify(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "small.toml").write_text(sweep)
        (cls.folder / "table.csv").write_text("kind,m,n,k,duration_us\ngemm,4096,4096,4096,220\n")
        cls.start("small.toml", "-q").check_returncode()
        cls.start("profile", "import", "table.csv", "--gpu", "h100-sxm", "-o", "profile.h5").check_returncode()
        subprocess.run([write_overlaps, "overlaps.h5"], cwd=cls.folder, check=True)

    def file_of(self, file, code=0):
        told = json.loads(self.run_program("verify", file, "--json", code=code).stdout)
        self.assertEqual(told["sound"], code == 0)
        return told["files"][0]

    def damaged(self, place, name="damaged.h5", source="small.h5"):
        data = bytearray((self.folder / source).read_bytes())
        data[place] ^= 16
        (self.folder / name).write_bytes(data)
        return name

    def test_a_whole_file(self):
        told = self.file_of("small.h5")
        with h5py.File(self.folder / "small.h5") as file:
            self.assertEqual((told["rows"], told["rows_digest"]), (len(file["config"]), file.attrs["rows_digest"]))
            self.assertEqual(told["schema_version"], file.attrs["schema_version"])
        self.assertTrue(told["checksums"])
        self.assertIn("small.h5: whole", self.run_program("verify", "small.h5").stdout)

    def test_checksums_are_those_that_the_page_describes(self):
        data = (self.folder / "small.h5").read_bytes()
        end = data.rindex(b"\nechosums 1 ")
        size = int(data[end + 12:end + 28], 16)
        self.assertEqual(data[size:], sums_of(data[:size]))

    def test_damaged_values_are_named_by_column_and_rows(self):
        # Enough rows that a block of 4 KiB lies within the values of one column.
        self.run_program("small.toml", "-q", "-o", "large.h5", "--set", "space.global_batch={from=64, to=16384, step=16}")
        with h5py.File(self.folder / "large.h5") as file:
            chunk, rows = file["step_time"].id.get_chunk_info(0), len(file["config"])
        self.assertGreater(chunk.size, 8192)
        place = chunk.byte_offset + chunk.size // 2
        told = self.file_of(self.damaged(place, source="large.h5"), code=5)
        first = place // 4096 * 4096
        self.assertEqual(told["damaged"], [{"first": first, "last": first + 4095}])
        self.assertIn(f"/step_time, rows 0 to {rows - 1}", told["lost"])
        text = self.run_program("verify", "damaged.h5", code=5).stdout
        self.assertIn("damaged.h5: damaged", text)
        self.assertIn(f"bytes {first} to {first + 4095}", text)

    def test_every_command_refuses_it_with_the_place(self):
        self.damaged(20000)
        for words in (("top",), ("show", "0"), ("export",), ("describe",), ("status",), ("trace", "0"),
                      ("diff", "small.h5"), ("merge", "small.h5", "-o", "merged.h5")):
            error = self.run_program(words[0], "damaged.h5", *words[1:], code=5).stderr
            self.assertIn('"damaged.h5" is damaged: bytes 16384 to 20479', error)
        self.assertFalse((self.folder / "merged.h5").exists())

    def test_a_relaunch_over_a_damaged_file_is_not_done(self):
        size = (self.folder / "small.h5").stat().st_size
        for place in (5, 100, size // 3, size // 2, size - 100, size - 10):
            self.damaged(place, "again.h5")
            told = self.run_program("small.toml", "-q", "-o", "again.h5", code=5)
            self.assertIn('again.h5"', told.stderr)
            self.assertRegex(told.stderr, "remove it and run its sweep again|restore it from a copy")
            self.assertEqual(told.stdout, "")
        (self.folder / "again.h5").unlink()
        self.run_program("small.toml", "-q", "-o", "again.h5")
        self.assertEqual(self.file_of("again.h5")["rows_digest"], self.file_of("small.h5")["rows_digest"])

    def test_a_file_of_an_older_program_has_no_checksums_and_is_read(self):
        with h5py.File(self.folder / "small.h5") as file, h5py.File(
                self.folder / "old.h5", "w", track_order=True) as old:
            for name in file:
                file.copy(name, old)
            old.attrs.update(file.attrs)
        error = self.run_program("top", "old.h5", code=5).stderr
        self.assertIn("has lost its checksums", error)
        with h5py.File(self.folder / "old.h5", "r+") as old:
            old.attrs["schema_version"] = "1.9"
        told = self.file_of("old.h5")
        self.assertFalse(told["checksums"])
        self.assertIn("no checksums: schema 1.9", self.run_program("verify", "old.h5").stdout)
        chosen = ("--columns", "config_id,model,tp,step_time,error_layout")
        self.assertEqual(self.run_program("export", "old.h5", *chosen).stdout,
                         self.run_program("export", "small.h5", *chosen).stdout)
        with h5py.File(self.folder / "old.h5", "r+") as old:
            old["tp"][0] = 3
        self.assertIn("have the digest", self.file_of("old.h5", code=5)["problem"])

    def test_values_that_do_not_follow_the_digest(self):
        shutil.copy(self.folder / "small.h5", self.folder / "forged.h5")
        with h5py.File(self.folder / "forged.h5", "r+") as file:
            file["tp"][0] = 3
        self.assertIn("no checksums at its end", self.file_of("forged.h5", code=5)["problem"])
        append_sums(self.folder / "forged.h5")
        self.assertIn("have the digest", self.file_of("forged.h5", code=5)["problem"])

    def test_tables_of_measurements(self):
        for name, kind in (("profile.h5", "profile"), ("overlaps.h5", "dataset of overlaps")):
            told = self.file_of(name)
            self.assertEqual(told["kind"], kind)
            self.assertGreater(told["rows"], 0)
            self.damaged(3000, source=name)
            self.assertNotEqual(self.file_of("damaged.h5", code=5)["problem"], "")

    def test_several_files_of_which_one_is_damaged(self):
        (self.folder / "text.h5").write_text("step_time,tp\n")
        text = self.run_program("verify", "small.h5", "text.h5", "profile.h5", code=5).stdout
        for line in ("small.h5: whole", "text.h5: damaged", "profile.h5: whole"):
            self.assertIn(line, text)
        self.run_program("verify", "absent.h5", code=2)


if __name__ == "__main__":
    ProgramCase.program, write_overlaps = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    unittest.main()
