"""A file made by the C++ writer, read by everybody else: h5py, netCDF-C, xarray, h5dump, our own package. The digest is
computed again here, from the schema and libxxhash alone.     usage: read_file.py FAKE_SWEEP SOURCE_DIR"""

import ctypes
import ctypes.util
import importlib
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "analysis"))
sys.path.insert(0, str(SOURCE / "hdf5_schemas"))
SCHEMA = importlib.import_module("generate_columns").read(SOURCE / "hdf5_schemas/results_v1.toml")
ROWS = 20000
BLOCK = 16384  # rows that have a digest for each column


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3_128(data):
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_128bits.restype = Hash128
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    value = library.XXH3_128bits(data, len(data))
    return f"{value.high:016x}{value.low:016x}"


class ReadFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "sample.h5"
        subprocess.run([PROGRAM, cls.path, str(ROWS)], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_digest_follows_from_the_schema(self):
        digests = b""
        with h5py.File(self.path) as file:
            for first in range(0, ROWS, BLOCK):
                for column in SCHEMA["column"]:
                    values = file[column["name"]][first:first + BLOCK]
                    digests += bytes.fromhex(xxh3_128(values.astype("<" + column["type"]).tobytes()))
            self.assertEqual(file.attrs["rows_digest_algorithm"], "XXH3-128 of XXH3-128 of columns of 16384 rows")
            self.assertEqual(file.attrs["rows_digest"], xxh3_128(digests))

    def test_every_column_is_there_and_described(self):
        with h5py.File(self.path) as file:
            for column in SCHEMA["column"]:
                dataset = file[column["name"]]
                self.assertEqual(dataset.dtype.str[1:], column["type"])
                for key in ("long_name", "description", "role"):
                    self.assertEqual(dataset.attrs[key], column[key], column["name"])
                units = "1" if column["units"].startswith("currency") else column["units"]  # the sweep names none
                self.assertEqual(dataset.attrs["units"], units, column["name"])
                self.assertIn("config", [scale.name.strip("/") for scale in dataset.dims[0].values()]
                              if column["role"] != "scale" else ["config"])
                if dataset.dtype.kind == "f":
                    self.assertTrue(np.isnan(dataset.attrs["_FillValue"]))
            root = {name for name, item in file.items() if isinstance(item, h5py.Dataset)}
            self.assertEqual(root, {c["name"] for c in SCHEMA["column"] if "/" not in c["name"]})

    def test_parts_sum_to_the_step(self):
        with h5py.File(self.path) as file:
            step, parts = file["step_time"][...], file["breakdown/exposed_time"][...]
            timed = ~np.isnan(step)
            np.testing.assert_allclose(parts[timed].sum(axis=1), step[timed], rtol=1e-12)

    def test_ncdump_and_h5dump_read_it(self):
        header = subprocess.run(["ncdump", "-h", self.path], check=True, capture_output=True, text=True).stdout
        self.assertIn(f"config = {ROWS} ;", header)
        self.assertIn("double step_time(config)", header)
        self.assertIn("double exposed_time(config, part)", header)
        self.assertNotIn("phony_dim", header)
        subprocess.run(["h5dump", "-H", self.path], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ncdump", self.path], check=True, stdout=subprocess.DEVNULL)

    def test_xarray_makes_inputs_coordinates(self):
        import xarray

        with xarray.open_dataset(self.path, engine="netcdf4") as dataset:
            self.assertEqual(dataset.sizes["config"], ROWS)
            self.assertEqual(dataset["tp"].dtype, np.int16)
            self.assertIn("tp", dataset.coords)
            self.assertIn("step_time", dataset.data_vars)
            self.assertEqual(dataset["step_time"].attrs["units"], "s")
        with xarray.open_dataset(self.path, engine="netcdf4", group="breakdown") as parts:
            self.assertEqual(parts["exposed_time"].dims, ("config", "part"))
            self.assertIn("bubble", parts["part"].values)

    def test_our_package_ranks_it(self):
        import echo_sweep

        sweep = echo_sweep.open(self.path)
        best = sweep.top(10, by="step_time")
        self.assertTrue((np.diff(best["step_time"]) >= 0).all())
        self.assertEqual(set(sweep.column("model")), {"alpha", "zeta"})
        self.assertEqual(sweep.dataset()["model"].values[0], "zeta")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
