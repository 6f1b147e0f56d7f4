"""A result file as it lies on disk: which columns and groups it has. hdf5_schemas/README.md is its contract."""

from functools import cached_property

import h5py
import numpy as np

from .checksums import DamagedFile, verify
from .column import Column, text_of
from .space import axes_of
from .updated import measured_of

SCHEMA = "echo-sweep-results"
MAJOR = "1"
SETTINGS = ("slowdown", "contention", "skew_sigma", "skew_draws", "workload_times", "workload_format",
            "workload_gpu", "workload_data_groups", "workload_tokens", "what_if")
BATCH = 1 << 17  # rows read at a time
ROLES = ("scale", "input", "outcome", "metric")
SMALL = 256 * 2**20  # bytes: checked whole when opened; of larger files HDF5 checks what is read


def _facts(attributes):
    """Attributes as text and numbers, without those that only HDF5 needs."""
    hidden = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates")
    return {key: text_of(value) if isinstance(value, (bytes, str)) else value
            for key, value in attributes.items() if key not in hidden}


class ResultFile:
    def __init__(self, path, updated=True):
        """`updated`: with what measured runs say, where the file has any; else its predictions."""
        self.path = str(path)
        has_sums = verify(path, at_most=SMALL)
        self._file = h5py.File(path, "r")
        self.attributes = _facts(self._file.attrs)
        if self.attributes.get("schema") != SCHEMA:
            raise ValueError(f"{path} is not a result file of echo-sweep")
        version = self.attributes.get("schema_version", "?")
        if version.split(".")[0] != MAJOR:
            raise ValueError(f"{path} has schema {version}; this package reads {MAJOR}.x: install the one of its time")
        if not has_sums and [int(number) for number in version.split(".")] >= [1, 10]:
            raise DamagedFile(f"{path} has lost its checksums: another program changed it or copied its content")
        self.rows = self._file["config"].shape[0]
        self.measured = measured_of(self._file) if updated else None
        self.columns = self._find_columns()

    def close(self):
        self._file.close()

    def verify(self):
        """True where every byte agrees with its checksum, False where the file has none (schemas before 1.10);
        DamagedFile where one does not."""
        return verify(self.path)

    def _column(self, dataset):
        name, attributes = dataset.name.strip("/"), _facts(dataset.attrs)
        if self.measured is None or dataset.shape != (self.rows,) or "/" in name:
            return Column(name, lambda: dataset[...], attributes)
        follows = attributes.get("error_follows", "")
        return Column(name, lambda: self.measured.after(name, follows, dataset[...]), attributes)

    def _find_columns(self):
        """Every dataset at the root with one value per row: by role, inputs as the file orders them, then by name."""
        found = [self._column(item) for item in self._file.values()
                 if isinstance(item, h5py.Dataset) and item.shape == (self.rows,)]
        inputs = self.attributes.get("coordinates", "").split()

        def place(column):
            role = ROLES.index(column.role) if column.role in ROLES else len(ROLES)
            return role, inputs.index(column.name) if column.name in inputs else len(inputs), column.name

        return {column.name: column for column in sorted(found, key=place)}

    def breakdown(self, kind, rows):
        """(labels, values[row, label]) of /breakdown/`kind`: exposed_time and total_time in s, mem in byte."""
        group = self._file["breakdown"]
        labels = [text_of(label) for label in group["mem_part" if kind == "mem" else "part"][...]]
        if len(rows) == 0:
            return labels, np.zeros((0, len(labels)))
        table = np.empty((len(rows), len(labels)), dtype=group[kind].dtype)
        order = np.argsort(rows, kind="stable")
        for first in range(int(rows.min()), int(rows.max()) + 1, BATCH):  # a large file is never whole in memory
            some = order[slice(*np.searchsorted(rows[order], (first, first + BATCH)))]
            if len(some):
                table[some] = group[kind][first:first + BATCH][rows[some] - first]
        return labels, table

    def group(self, name):
        """The columns of a group such as /pareto or /failures, by name; empty where the file has none."""
        if name not in self._file:
            return {}
        return {key: self._column(item).values for key, item in self._file[name].items()
                if isinstance(item, h5py.Dataset) and item.ndim == 1}

    @cached_property
    def rules(self):
        """{word of the column `rule`: (the rule in words, the axes that it looks at)}."""
        group = self.group("rules")
        return {word: said for word, *said in zip(*(group.get(name, ()) for name in ("word", "text", "axes")))}

    @cached_property
    def nearest(self):
        """{cause: the entry of /nearest, with the config_id of its row}; a cause is "memory", "limit NAME" or a rule's word."""
        group = self.group("nearest")
        entries = [dict(zip(group, values)) for values in zip(*group.values())]
        return {entry.pop("cause"): {"config_id": str(self.ids_of([entry.pop("config")])[0]), **entry} for entry in entries}

    def provenance(self):
        """What may differ between two runs of one sweep: program and host, the sweep's text, its inputs, launches."""
        if "provenance" not in self._file:
            return {}
        group = self._file["provenance"]
        facts = _facts(group.attrs)
        for name, item in group.items():
            if isinstance(item, h5py.Dataset):
                facts[name] = text_of(item[()])
            elif name != "points":  # one row for each config: large, and only timing
                facts[name] = self.group(f"provenance/{name}")
        return facts

    @cached_property
    def axes(self):
        return axes_of(self.provenance().get("resolved_toml", ""))

    @cached_property
    def varying(self):
        """Inputs with more than one value in the file, in its order."""
        inputs = [name for name, column in self.columns.items() if column.role == "input"]
        return [name for name in inputs if self.rows and (self.columns[name].codes != self.columns[name].codes[0]).any()]

    @property
    def settings(self):
        """Of [simulate] and [workload], by name."""
        return {name: self.attributes[name] for name in SETTINGS if name in self.attributes}

    @property
    def objectives(self):
        """{metric: "min" or "max"} as the sweep ranks; empty where it names none."""
        return dict(objective.split(":") for objective in self.attributes.get("objectives", "").split())

    @cached_property
    def ids(self):
        """config_id of every row, as the 16 hex digits the program prints."""
        return self.ids_of(slice(None))

    def ids_of(self, rows):
        """config_id of some rows, in that order."""
        keys = self.columns["config_id"].codes[rows].astype(">u8")
        return np.frombuffer(keys.tobytes().hex().encode(), dtype="S16").astype("U16")
