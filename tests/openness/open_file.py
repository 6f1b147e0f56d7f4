"""A result file opened by h5py, netCDF-C, netCDF4-python, xarray and h5dump, none of which knows our code. The golden file
structure.txt is what h5dump -H says, one line for each object except the columns, whose lines follow from the schema;
write it again with ECHO_UPDATE_GOLDEN=1.
usage: open_file.py WRITE_SAMPLE SOURCE_DIR"""

import difflib
import importlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import h5py
import netCDF4
import numpy as np
import xarray

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
GOLDEN = SOURCE / "tests/openness/structure.txt"
sys.path.insert(0, str(SOURCE / "hdf5_schemas"))
SCHEMA = importlib.import_module("generate_columns").read(SOURCE / "hdf5_schemas/results_v1.toml")
ROWS = 5000
GROUPS = ["breakdown", "pareto", "pareto/unproven", "effects", "failures", "provenance", "provenance/points", "provenance/runs",
          "provenance/inputs"]


def brief(datatype):
    """h5dump's words for a type, in ours: H5T_STD_I8LE is i1, H5T_IEEE_F64LE is f8."""
    number = re.fullmatch(r"H5T_(STD|IEEE)_([IUF])(\d+)LE", datatype)
    if number:
        return number[2].lower() + str(int(number[3]) // 8)
    return datatype.split()[0].removeprefix("H5T_").lower()


def structure(path):
    """Every group and dataset of the file, a line each: type, shape, attributes with their types. From h5dump -H, whose
    indentation says what belongs to what."""
    text = subprocess.run(["h5dump", "-H", path], check=True, capture_output=True, text=True).stdout
    objects, attributes, stack = {}, {}, []
    for line in text.splitlines():
        indent, line = len(line) - len(line.lstrip()), line.strip()
        while stack and stack[-1][0] >= indent:
            stack.pop()
        place = "/".join(name.strip("/") for _, kind, name in stack if kind != "ATTRIBUTE") or "/"
        opened = re.match(r'(GROUP|DATASET|ATTRIBUTE) "(.*)" \{', line)
        if opened:
            stack.append((indent, opened[1], opened[2]))
            if opened[1] != "ATTRIBUTE":
                here = "/".join(name.strip("/") for _, _, name in stack) or "/"
                objects[here], attributes[here] = [], []
        elif line.startswith(("DATATYPE", "DATASPACE")) and stack:
            shape = re.search(r"\( (.*?) \)", line)
            word = brief(line.split(None, 1)[1]) if line.startswith("DATATYPE") else shape and shape[1].replace(" ", "")
            if stack[-1][1] == "DATASET" and word:
                objects[place].append(word)
            elif stack[-1][1] == "ATTRIBUTE" and line.startswith("DATATYPE"):
                attributes[place].append(f"{stack[-1][2]}:{word}")
    return [" ".join([place, *words, *sorted(attributes[place])]) for place, words in objects.items()]


# Attributes that depend on the sweep (its objectives, its error model) and on what other objects refer to.
OPTIONAL = ["error_follows:string", "objective:string", "shared_by:string"]


def column_lines():
    """{name: the line of structure() of a column, without the optional attributes}."""
    lines = {}
    for column in SCHEMA["column"]:
        if column["role"] in ("scale", "breakdown"):
            continue  # with a second dimension or a group of its own: in the golden
        attributes = ["DIMENSION_LIST:vlen", "description:string", "long_name:string", "role:string", "units:string"]
        if "names" in column:
            attributes += ["flag_meanings:string", "flag_values:i1"]
        if column["type"].startswith("f"):
            attributes.append(f"_FillValue:{column['type']}")
        lines["/" + column["name"]] = " ".join(["/" + column["name"], column["type"], str(ROWS), *sorted(attributes)])
    return lines


class OpenFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "sample.h5"
        subprocess.run([PROGRAM, cls.path], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_h5dump_sees_the_structure_of_the_golden(self):
        columns = column_lines()
        found = [line for line in structure(self.path) if line.split()[0] not in columns]
        if os.environ.get("ECHO_UPDATE_GOLDEN"):
            GOLDEN.write_text("\n".join(found) + "\n")
        golden = GOLDEN.read_text().splitlines()
        self.assertEqual(found, golden, "\n".join(difflib.unified_diff(golden, found, lineterm="")))

    def test_h5dump_sees_columns_as_the_schema_has_them(self):
        seen = {line.split()[0]: line for line in structure(self.path)}
        for name, line in column_lines().items():
            self.assertEqual(" ".join(word for word in seen[name].split(" ") if word not in OPTIONAL), line)

    def test_h5py_finds_no_type_that_others_stumble_over(self):
        """No booleans (h5py's enum), no compounds; texts per row nowhere: only where a list names things."""
        texts = set()

        def look(name, item):
            if not isinstance(item, h5py.Dataset):
                return
            self.assertIsNone(item.dtype.fields, name)
            self.assertIsNone(h5py.check_enum_dtype(item.dtype), name)
            if h5py.check_string_dtype(item.dtype) is not None:
                texts.add(name)
                self.assertLess(item.size, ROWS, name)
            else:
                self.assertIn(item.dtype.str[0], "<|", name)

        with h5py.File(self.path) as file:
            file.visititems(look)
        self.assertIn("breakdown/part", texts)
        self.assertFalse([name for name in texts if "/" not in name])

    def test_coded_columns_say_what_their_codes_mean(self):
        with h5py.File(self.path) as file:
            for column in SCHEMA["column"]:
                item = file[column["name"]]
                self.assertEqual("flag_values" in item.attrs, "names" in column, column["name"])
                if "names" not in column:
                    continue
                self.assertEqual(item.dtype, np.int8)
                values, words = item.attrs["flag_values"], item.attrs["flag_meanings"].split(" ")
                self.assertEqual(values.dtype, np.int8)
                self.assertEqual(list(values), list(range(len(words))))
                self.assertLessEqual(set(np.unique(item[...])), set(values), column["name"])
                if isinstance(column["names"], list):
                    self.assertEqual(words, column["names"])
            self.assertEqual(file["limit"].attrs["flag_meanings"], "none deadline cheap")

    def test_what_is_unknown_is_nan_and_never_0(self):
        with h5py.File(self.path) as file:
            status, reason = file["status"][...], file["reason"][...]
            timed = (status == 0) | (reason == 2)  # within all limits, or past one of the sweep's own
            for name in ("step_time", "train_time", "tokens_per_s", "mfu", "slowdown_tax"):
                values = file[name][...]
                np.testing.assert_array_equal(np.isnan(values), ~timed, name)
                self.assertTrue((values[timed] > 0).all(), name)
            self.assertTrue(np.isnan(file["breakdown/mem"][7]).all())
            np.testing.assert_array_equal(np.isnan(file["limit_excess"][...]), reason != 2)
            for column in SCHEMA["column"]:
                if column["type"].startswith("f"):
                    self.assertTrue(np.isnan(file[column["name"]].attrs["_FillValue"]), column["name"])

    def test_xarray_opens_it_without_being_told_anything(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with xarray.open_dataset(self.path) as data:
                inputs = {c["name"] for c in SCHEMA["column"] if c["role"] == "input"}
                self.assertEqual(set(data.coords), inputs | {"config"})
                self.assertEqual(data.sizes, {"config": ROWS})
                self.assertEqual(data["tp"].dtype, np.int16)
                self.assertEqual(data["status"].dtype, np.int8)
                best = data["train_time"].where(data["status"] == 0).min()
                self.assertTrue(np.isfinite(best))
        for group in GROUPS:
            with xarray.open_dataset(self.path, group=group) as data:
                data.load()
        with xarray.open_dataset(self.path, group="breakdown") as parts:
            self.assertEqual(parts["exposed_time"].dims, ("config", "part"))
            self.assertIn("bubble", parts["part"].values)
        with xarray.open_dataset(self.path, group="failures") as failures:
            self.assertEqual(list(failures["config"].values), [7, 7])
            self.assertEqual(list(failures["attempt"].values), [1, 2])
            self.assertEqual(failures["message"].values[1], "größer als gedacht")

    def test_the_pareto_group_is_drawn_by_nexus_viewers(self):
        with h5py.File(self.path) as file:
            self.assertEqual(file.attrs["NX_class"], "NXroot")
            front = file[file.attrs["default"]]
            self.assertEqual(front.attrs["NX_class"], "NXdata")
            signal, axes = front[front.attrs["signal"]][...], front[front.attrs["axes"]][...]
            self.assertEqual(signal.shape, axes.shape)
            rows = front["config"][...]
            np.testing.assert_array_equal(file["train_time"][...][rows], signal)
            np.testing.assert_array_equal(file["mem_peak"][...][rows], axes)
            self.assertGreater(len(rows), 1)
            feasible = file["status"][...] == 0
            time, memory = file["train_time"][...], file["mem_peak"][...]
            for t, m in zip(signal, axes):
                self.assertFalse((feasible & (time <= t) & (memory <= m) & ((time < t) | (memory < m))).any())

    def test_what_no_other_surely_beats_stands_behind_the_front(self):
        with h5py.File(self.path) as file:
            front, behind = file["pareto"], file["pareto/unproven"]
            words = front["standing"].attrs["flag_meanings"].split()
            self.assertEqual(words, ["robust", "tie", "unproven", "unjudged"])
            for group in (front, behind):
                rows = group["config"][...]
                np.testing.assert_array_equal(file["train_time"][...][rows], group["train_time"][...])
                np.testing.assert_array_equal(np.isnan(group["rival_chance"][...]), group["rival"][...] < 0)
            self.assertLessEqual(set(behind["rival"][...]), set(front["config"][...]) | {-1})
            self.assertGreater(len(behind["config"]), 0)

    def test_ncdump_and_netcdf4_see_every_column_with_its_dimensions(self):
        header = subprocess.run(["ncdump", "-h", self.path], check=True, capture_output=True, text=True).stdout
        self.assertIn(f"config = {ROWS} ;", header)
        self.assertIn("byte limit(config)", header)
        self.assertFalse("phony_dim" in header)
        subprocess.run(["ncdump", self.path], check=True, stdout=subprocess.DEVNULL)
        with netCDF4.Dataset(self.path) as file:
            for column in SCHEMA["column"]:
                variable = file[column["name"]]
                wanted = ("config", column["dimension"]) if "dimension" in column else ("config",)
                self.assertEqual(variable.dimensions, wanted, column["name"])
                self.assertEqual(variable.dtype.str[1:], column["type"], column["name"])
            self.assertTrue(np.ma.is_masked(file["step_time"][...]))
            self.assertEqual(file["provenance/layer_tables"][...].tolist(), ["8 10 10 8"])

    def test_the_documentation_of_a_column_is_in_the_file(self):
        with h5py.File(self.path) as file:
            for column in SCHEMA["column"]:
                for key in ("long_name", "description", "role"):
                    self.assertEqual(file[column["name"]].attrs[key], column[key], column["name"])
                units = "1" if column["units"].startswith("currency") else column["units"]  # the sample names none
                self.assertEqual(file[column["name"]].attrs["units"], units, column["name"])
            self.assertEqual(file.attrs["currency"], "")
            self.assertEqual(file["train_time"].attrs["objective"], "min")
            self.assertNotIn("objective", file["step_time"].attrs)  # the sweep names its own
            self.assertEqual(file.attrs["objectives"], "train_time:min mem_peak:min")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
