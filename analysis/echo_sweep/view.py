"""Rows of a result file, all or chosen ones, and their columns by name."""

import difflib

import numpy as np

from . import language
from .column import Column
from .table import dataset_of, table_of

# What files of schema 1.0 do not store, as (expression, facts); a column of the file comes first.
DERIVED = {
    "tokens_per_s_per_gpu": ("tokens_per_s / gpus", {"units": "s-1", "role": "metric", "objective": "max",
                                                     "long_name": "tokens per second and GPU"}),
}
# sweep.toml writes the stage, the file says what is sharded.
WRITTEN_AS_NUMBER = ("zero",)
STATUSES = ("feasible", "infeasible", "failed", "over_budget", "pending")


def worked_out(file, columns, name, expression, facts):
    """A Column of all rows of the file, from others of `columns`, once it is asked for."""
    whole = View(file, None, columns)
    return Column(name, lambda: language.number(expression, whole.look_up, len(whole)), facts,
                  lambda: _law_of(whole, expression))


# What a metric may follow, and how it then changes where a step is twice as long, or memory twice as large.
LAWS = {(1.0, 1.0): "none", (2.0, 1.0): "step_time", (0.5, 1.0): "1/step_time", (1.0, 2.0): "mem_peak"}
FACTORS = {"step_time": ("step_time", 2.0), "1/step_time": ("step_time", 0.5), "mem_peak": ("mem_peak", 2.0)}


def _law_of(view, expression):
    """What the error of an expression follows, by evaluating it with a doubled step and with doubled memory."""
    is_known = True

    def look_up_with(changed):
        def look_up(name):
            nonlocal is_known
            value, follows = view.look_up(name), view.about(name).error_follows if name in view.names() else "none"
            if follows in FACTORS and FACTORS[follows][0] == changed:
                return value._replace(data=value.data * FACTORS[follows][1])
            is_known &= follows in FACTORS or follows == "none"
            return value
        return look_up

    before = language.number(expression, view.look_up, len(view))
    ratios = []
    for changed in ("step_time", "mem_peak"):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = language.number(expression, look_up_with(changed), len(view)) / before
        ratio = ratio[np.isfinite(ratio)]
        ratios.append(ratio[0] if len(ratio) and np.allclose(ratio, ratio[0], rtol=1e-9) else np.nan)
    for factors, law in LAWS.items():
        if is_known and np.allclose(ratios, factors, rtol=1e-9):
            return law
    return "unknown"


def with_derived(file):
    columns = dict(file.columns)
    for name, (expression, facts) in DERIVED.items():
        if name not in columns:
            columns[name] = worked_out(file, dict(columns), name, expression, facts)
    return columns


class View:
    """All rows of `file`, or those of the indices `rows`, in that order. Immutable."""

    def __init__(self, file, rows=None, columns=None):
        self._file = file
        self._rows = np.arange(file.rows) if rows is None else np.asarray(rows, dtype=np.int64)
        self._columns = with_derived(file) if columns is None else columns
        self._varying = None  # found when it is asked for

    # --- what it is
    @property
    def path(self):
        return self._file.path

    @property
    def attributes(self):
        """Attributes of the file: schema, state, counts, rows_digest, sweep_key, ..."""
        return self._file.attributes

    @property
    def settings(self):
        """What [simulate] and [workload] of the sweep said, by name; empty for a file before schema 1.7."""
        return self._file.settings

    def verify(self):
        """True where every byte of the file agrees with its checksum, False where it has none (schemas before 1.10);
        DamagedFile, which says where, if one does not. Files up to 256 MiB were checked when they were opened."""
        return self._file.verify()

    def __len__(self):
        return len(self._rows)

    def __repr__(self):
        a = self.attributes
        shown = "" if len(self) == self._file.rows else f"{len(self)} of "
        shard = f" shard {a['shard']}" if a.get("shard") else ""
        counts = [f"{a[f'n_{status}']} {status}" for status in STATUSES if a.get(f"n_{status}", 0)]
        return (f"<{a.get('name', '?')}{shard}: {shown}{self._file.rows} configs, {', '.join(counts)}; "
                f"{a.get('state', '?')}, schema {a['schema_version']}, digest {a.get('rows_digest', '?')[:8]}>")

    def names(self, role=None):
        """Names of the columns; of one role: input, outcome or metric."""
        return [name for name, column in self._columns.items() if role is None or column.role == role]

    def about(self, name):
        """The Column called `name`: units, long_name, goal, words."""
        if name not in self._columns:
            near = difflib.get_close_matches(name, self._columns, 3, 0.5)
            raise KeyError(f"{self.path} has no column {name!r}" + (f"; near: {', '.join(near)}" if near else ""))
        return self._columns[name]

    def column(self, name):
        """Values of a column: numbers, or words where it is coded."""
        return self.about(name).values[self._rows]

    def places(self):
        """Numbers of these rows in the file."""
        return self._rows

    def explained(self):
        """(spread, float[row, run]): what measured runs took off the errors of these rows (hdf5_schemas/README.md, /measured)."""
        measured = self._file.measured
        return (1.0, np.zeros((len(self), 0))) if measured is None else (measured.spread, measured.explained[self._rows])

    def ids(self):
        """config_id as the 16 hex digits the program prints."""
        return self._file.ids_of(self._rows)

    def breakdown(self, kind="exposed_time"):
        """{part: values} of /breakdown: seconds (exposed_time, total_time) or bytes (mem)."""
        labels, values = self._file.breakdown(kind, self._rows)
        return {label: values[:, i] for i, label in enumerate(labels)}

    def provenance(self):
        return self._file.provenance()

    def group(self, name):
        """{column: values} of a group of the file, as "effects" or "provenance/runs"; empty where there is none."""
        return self._file.group(name)

    def rule_of(self, word):
        """(words, axes) of a rule that the column `rule` names; ("", ()) of none."""
        text, axes = self._file.rules.get(word, (word, "")) if word != "none" else ("", "")
        return text, tuple(axes.split())

    def nearest_of(self, reason, limit, rule):
        """The entry of /nearest for this cause; None where there is none."""
        cause = {"memory": "memory", "limit": f"limit {limit}"}.get(reason, rule)
        entry = self._file.nearest.get(cause)
        return entry if entry and entry["change"] else None

    def failures(self):
        """Rows of /failures that concern these configs, as a table; empty where the file has none."""
        group = self.group("failures")
        kept = np.isin(group["config"], self._rows) if group else []
        return table_of({name: values[kept] for name, values in group.items()}, {})

    # --- choosing rows
    def view(self, chosen):
        """These rows only: bool[row], or positions in this view, in that order."""
        return type(self)(self._file, self._rows[chosen], self._columns)

    def whole(self):
        """All rows of the file, with the columns that were derived."""
        return type(self)(self._file, None, self._columns)

    def where(self, condition):
        """Rows that meet `condition`: "tp == 8 and mem_peak < 70 GiB", or {"tp": 8, "precision": ["bf16", "fp8"]}."""
        if condition is None:
            return self
        if isinstance(condition, str):
            return self.view(language.holds(condition, self.look_up, len(self)))
        chosen = np.ones(len(self), dtype=bool)
        for name, wanted in condition.items():
            several = isinstance(wanted, (list, tuple, set, range, np.ndarray))
            chosen &= np.isin(self.column(name), list(wanted) if several else [wanted])
        return self.view(chosen)

    @property
    def feasible(self):
        return self.view(self.column("status") == "ok")

    def fits(self):
        """bool[row]: the chance to fit the GPU's memory reaches the sweep's min_fit_chance, or is not known."""
        least = self._file.attributes.get("min_fit_chance", 0.0)
        if not least or "fit_chance" not in self._columns:
            return np.ones(len(self), dtype=bool)
        return ~(self.column("fit_chance").astype(float) < least)

    @property
    def ranked(self):
        """Feasible rows that surely enough fit the memory of their GPU: what rankings and fronts consist of."""
        rows = self.feasible
        return rows.view(rows.fits())

    @property
    def doubtful(self):
        """Feasible rows that may not fit the memory of their GPU."""
        rows = self.feasible
        return rows.view(~rows.fits())

    def derive(self, name, expression, units="1", objective="", long_name=None):
        """The same rows with one more column, worked out from others: derive("days", "train_time / 1 d", "d")."""
        facts = {"units": units, "role": "metric", "objective": objective, "long_name": long_name or name}
        column = worked_out(self._file, self._columns, name, expression, facts)
        return type(self)(self._file, self._rows, {**self._columns, name: column})

    def look_up(self, name):
        """A name of the comparison language as its Value; None where there is no such column."""
        if name == "config_id":
            return language.Value("word", self.ids())
        if name not in self._columns:
            return None
        column = self._columns[name]
        if column.is_switch:
            return language.Value("truth", column.codes[self._rows].astype(float))
        if column.is_number:
            return language.Value("number", column.codes[self._rows].astype(float))
        codes = column.codes[self._rows].astype(float) if name in WRITTEN_AS_NUMBER else None
        return language.Value("word", column.values[self._rows], codes)

    # --- tables
    def frame(self, names=None):
        """A pandas frame, words as categories, units in .attrs["units"]; without pandas, a dict of arrays."""
        names = self.names() if names is None else list(names)
        data = {name: self.ids() if name == "config_id" else self.column(name) for name in names}
        return table_of(data, {name: self.about(name) for name in names})

    def dataset(self):
        """These rows as xarray has them when it opens the file, with coded columns as words."""
        return dataset_of(self.path, {name: self.about(name) for name in self._file.columns}, self._rows)

    # --- the space
    def varying(self):
        """Inputs with more than one value in these rows."""
        if self._varying is None:
            codes = ((name, self._columns[name].codes[self._rows]) for name in self._file.varying if name in self._columns)
            self._varying = [name for name, values in codes if len(self) and (values != values[0]).any()]
        return list(self._varying)

    def axes(self):
        """Inputs that the sweep turns and that vary in these rows; all that vary where the file does not say."""
        varying = self.varying()
        return [name for name in varying if name in self._file.axes] or varying

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
