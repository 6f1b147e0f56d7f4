"""One result file. Columns are found by name and by the attributes the schema gives them, never by position."""

import h5py
import numpy as np

SCHEMA = "echo-sweep-results"
MAJOR = "1"


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Sweep:
    def __init__(self, path):
        self._file = h5py.File(path, "r")
        self.attributes = {key: _text(v) if isinstance(v, (bytes, str)) else v for key, v in self._file.attrs.items()}
        if self.attributes.get("schema") != SCHEMA:
            raise ValueError(f"{path} is not a result file of echo-sweep")
        if self.attributes["schema_version"].split(".")[0] != MAJOR:
            raise ValueError(f"{path} has schema {self.attributes['schema_version']}; this package reads {MAJOR}.x")
        self._columns = {}

    def __len__(self):
        return self._file["config"].shape[0]

    def __repr__(self):
        a = self.attributes
        return (f"<{a['name']}: {a['n_total']} configs, {a['n_feasible']} feasible, {a['n_infeasible']} infeasible, "
                f"{a['n_failed']} failed; digest {a.get('rows_digest', '?')[:8]}>")

    # --- columns ---------------------------------------------------------------------------------------------------
    def names(self, role=None):
        """Names of the columns at the root, in schema order; of one role: input, outcome or metric."""
        found = [name for name, item in self._file.items() if isinstance(item, h5py.Dataset)]
        return [name for name in found if role is None or self.attribute(name, "role") == role]

    def attribute(self, name, attribute, default=""):
        value = self._file[name].attrs.get(attribute, default)
        return _text(value) if isinstance(value, (bytes, str)) else value

    def meanings(self, name):
        """Code to word, for a coded column; else an empty dict."""
        words = self.attribute(name, "flag_meanings")
        codes = self._file[name].attrs.get("flag_values", ())
        return dict(zip((int(code) for code in codes), words.split()))

    def column(self, name):
        """Values of a column: numbers, or words where it is coded."""
        if name not in self._columns:
            values = self._file[name][...]
            meanings = self.meanings(name)
            if meanings:
                words = np.array([meanings[code] for code in sorted(meanings)], dtype=object)
                values = words[np.searchsorted(sorted(meanings), values)]
            self._columns[name] = values
        return self._columns[name]

    def ids(self):
        """config_id as the 16 hex digits the program prints."""
        return np.array([f"{int(key):016x}" for key in self.column("config_id")])

    # --- choosing rows ---------------------------------------------------------------------------------------------
    def rows(self, where=None, feasible=True):
        """Indices of rows; `where` maps column names to one value or a list of values."""
        chosen = np.ones(len(self), dtype=bool)
        if feasible:
            chosen &= self.column("status") == "ok"
        for name, wanted in (where or {}).items():
            wanted = wanted if isinstance(wanted, (list, tuple, set, range)) else [wanted]
            chosen &= np.isin(self.column(name), list(wanted))
        return np.flatnonzero(chosen)

    def ranked(self, by="step_time", where=None):
        """Indices of feasible rows, best first; ties in file order. Rows without a value are left out."""
        rows = self.rows(where)
        values = self.column(by)[rows].astype(float)
        rows, values = rows[~np.isnan(values)], values[~np.isnan(values)]
        sign = -1.0 if self.attribute(by, "objective", "min") == "max" else 1.0
        return rows[np.argsort(sign * values, kind="stable")]

    def row_of(self, config_id):
        """The row whose id starts with these hex digits."""
        found = [i for i, key in enumerate(self.ids()) if key.startswith(config_id)]
        if len(found) != 1:
            raise KeyError(f"{len(found)} configs start with {config_id!r}")
        return found[0]

    # --- tables ----------------------------------------------------------------------------------------------------
    def frame(self, rows=None, names=None):
        """A pandas frame with words decoded and units in .attrs; without pandas, a dict of arrays."""
        rows = slice(None) if rows is None else rows
        names = names or self.names()
        data = {name: self.column(name)[rows] for name in names}
        if "config_id" in data:
            data["config_id"] = self.ids()[rows]
        try:
            import pandas
        except ImportError:
            return data
        frame = pandas.DataFrame(data)
        for name in names:
            if self.meanings(name):
                frame[name] = frame[name].astype("category")
        frame.attrs["units"] = {name: self.attribute(name, "units") for name in names}
        return frame

    def dataset(self):
        """An xarray dataset: the file as xarray opens it, with coded columns as words."""
        import xarray

        with xarray.open_dataset(self._file.filename, engine="netcdf4") as opened:
            dataset = opened.load()
        for name in self.names():
            if self.meanings(name):
                kept = {k: v for k, v in dataset[name].attrs.items() if not k.startswith("flag_")}
                dataset[name] = (dataset[name].dims, self.column(name), kept)
        return dataset

    def top(self, count=10, by="step_time", where=None, per=None):
        """The best feasible configs as a frame; with `per`, the best of each value of that column."""
        rows = self.ranked(by, where)
        if per is not None:
            taken, kept = {}, []
            for row in rows:
                key = self.column(per)[row]
                taken[key] = taken.get(key, 0) + 1
                if taken[key] <= count:
                    kept.append(row)
            rows = np.array(kept, dtype=int)
        else:
            rows = rows[:count]
        varying = [n for n in self.names("input") if len(np.unique(self.column(n)[rows].astype(str))) > 1]
        metrics = ["step_time", "tokens_per_s", "mfu", "mem_peak", "mem_limit", "slowdown_tax"]
        return self.frame(rows, ["config_id"] + varying + metrics + ([] if by in metrics else [by]))

    def breakdown(self, rows, kind="exposed_time"):
        """Seconds by part (exposed_time, total_time) or bytes by kind (mem) of some rows, as a dict of arrays."""
        scale = "mem_part" if kind == "mem" else "part"
        labels = [_text(label) for label in self._file["breakdown"][scale][...]]
        values = self._file["breakdown"][kind][...][np.atleast_1d(rows)]
        return {label: values[:, i] for i, label in enumerate(labels)}

    def provenance(self):
        """Attributes of /provenance, and the sweep's text."""
        group = self._file["provenance"]
        facts = {key: _text(value) for key, value in group.attrs.items()}
        for name in ("sweep_toml", "resolved_toml"):
            facts[name] = _text(group[name][()])
        return facts

    @property
    def plot(self):
        from .plots import Plots

        return Plots(self)
