"""A result file made from the schema itself, with values that can be checked by eye."""

import importlib
import pathlib
import sys

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "hdf5_schemas"), str(ROOT / "tests/support")]
append_sums = importlib.import_module("block_sums").append_sums
SCHEMA = importlib.import_module("generate_columns").read(ROOT / "hdf5_schemas/results_v1.toml")
PARTS = ["forward", "backward", "bubble"]
MEM_PARTS = ["weights", "activations"]
ROWS = 6
# Configs: tp 1, 2, 4 by pp 1, 2; the last lacks 8 GiB. Step time falls with tp, then with pp.
VALUES = {
    "config": np.arange(ROWS), "config_id": 1000 + np.arange(ROWS), "tp": [1, 2, 4, 1, 2, 4], "pp": [1, 1, 1, 2, 2, 2],
    "gpus": [8] * ROWS, "status": [0, 0, 0, 0, 0, 1], "reason": [0, 0, 0, 0, 0, 1], "model": [1, 1, 1, 1, 1, 0],
    "reason_margin": [np.nan] * 5 + [8 * 2.0**30], "step_time": [6, 5, 4, 3, 2, np.nan],
    "tokens_per_s": [10, 20, 50, 40, 30, np.nan], "mfu": [0.1, 0.2, 0.5, 0.4, 0.3, np.nan],
    "mem_peak": [1, 1, 2, 3, 4, 88], "mem_limit": [80] * ROWS,
}
WORDS = {"models": "alpha zeta", "limits": "none step_time"}
SPACE = "[space]\nmodel = [ 'zeta', 'alpha' ]\npp = [ 1, 2 ]\ntp = [ 1, 2, 4 ]\n"


def _describe(dataset, column, meanings):
    for key in ("units", "long_name", "description", "role", "objective"):
        if key in column:
            dataset.attrs[key] = column[key]
    if meanings:
        dataset.attrs["flag_meanings"] = meanings
        dataset.attrs["flag_values"] = np.arange(len(meanings.split()), dtype="i1")


def write_synthetic_file(path, attributes=None, values=None, without=(), groups=None):
    """`attributes` of the root and `values` of columns replace those above; columns `without` are left out; `groups`
    {"pareto": {"config": [...]}} are added. A value of a name outside the schema becomes a column of its own."""
    schema = SCHEMA
    known = {**VALUES, **(values or {})}
    with h5py.File(path, "w") as file:
        inputs = " ".join(column["name"] for column in schema["column"] if column["role"] == "input")
        file.attrs.update({"schema": schema["schema"], "schema_version": schema["version"], "name": "synthetic",
                           "n_total": ROWS, "n_done": ROWS, "n_feasible": 5, "n_infeasible": 1, "n_failed": 0,
                           "state": "complete", "coordinates": inputs, "rows_digest": "0123456789abcdef",
                           **(attributes or {})})
        file.create_group("breakdown")
        file["breakdown/part"], file["breakdown/mem_part"] = PARTS, MEM_PARTS
        names = [column["name"] for column in schema["column"]]
        extra = [{"name": name, "type": "f8", "role": "metric", "units": "1"} for name in known if name not in names]
        for column in schema["column"] + extra:
            if column["name"] in without:
                continue
            width = {"part": len(PARTS), "mem_part": len(MEM_PARTS)}.get(column.get("dimension"))
            shape = (ROWS, width) if width else (ROWS,)
            coded = "names" in column
            data = np.array(known.get(column["name"], np.zeros(shape) if coded else np.ones(shape)))
            dataset = file.create_dataset(column["name"], data=data.astype("<" + column["type"]))
            words = column.get("names", "")
            _describe(dataset, column, " ".join(words) if isinstance(words, list) else WORDS.get(words, words))
        for group, members in (groups or {}).items():
            for name, data in members.items():
                file[f"{group}/{name}"] = data
        file["provenance/sweep_toml"], file["provenance/resolved_toml"] = "schema = 1", SPACE
    append_sums(path)
    return path
