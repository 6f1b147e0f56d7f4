"""One config of a sweep: what it is, how it did, and why not."""

from dataclasses import dataclass

import numpy as np

from .quantity import shown
from .table import table_of


@dataclass(frozen=True)
class WhyNot:
    """Why a config has no place in the ranking. `margin` is how far it is from one, in `units`; NaN where unknown. `rule`: the
    requirement that an unsupported config breaks, in words, and the `axes` that it looks at; both empty elsewhere. `nearest`:
    the smallest change that makes a row feasible that has the same cause (`config_id`, `change`, `step_time`, `mem_peak`,
    `fit_chance`), as the file keeps it; None where it has none. `echo-sweep why-not FILE ID` finds those of this row."""
    status: str
    reason: str
    margin: float
    units: str
    text: str
    rule: str = ""
    axes: tuple = ()
    nearest: dict = None

    def __str__(self):
        return self.text


@dataclass(frozen=True)
class Difference:
    """From one row to another: `inputs` and `metrics` {name: (from, to)}, `parts` {part: seconds more}."""
    inputs: dict
    parts: dict
    metrics: dict

    def __str__(self):
        turned = ", ".join(f"{name} {a} -> {b}" for name, (a, b) in self.inputs.items())
        largest = sorted(self.parts.items(), key=lambda item: -abs(item[1]))
        costs = ", ".join(f"{'+' if seconds > 0 else '-'}{shown(abs(seconds), 's')} {part}"
                          for part, seconds in largest[:5] if abs(seconds) > 0.01 * abs(largest[0][1]))
        return f"{turned or 'same inputs'}: {costs or 'no time differs'}"


class Row:
    def __init__(self, sweep, position):
        self._sweep = sweep.view([position])
        self._around = sweep.whole()

    @property
    def id(self):
        return str(self._sweep.ids()[0])

    def __getitem__(self, name):
        """The value of a column: a number, or a word where it is coded."""
        value = self._sweep.column(name)[0]
        return value.item() if isinstance(value, np.generic) else value

    def inputs(self):
        return {name: self[name] for name in self._sweep.names("input")}

    def __repr__(self):
        axes = {name: self[name] for name in self._around.axes()} or self.inputs()
        done = shown(self["step_time"], "s") + " a step" if self["status"] == "ok" else str(self.why_not())
        return f"<{self.id[:8]} {' '.join(f'{name}={value}' for name, value in axes.items())}: {done}>"

    def breakdown(self, kind="exposed_time"):
        """{part: seconds} of the busiest stage; exposed parts sum to step_time. "total_time": hidden work too."""
        return {part: float(values[0]) for part, values in self._sweep.breakdown(kind).items()}

    def memory(self):
        """{part: bytes} of a GPU of the fullest stage; parts sum to mem_peak."""
        return self.breakdown("mem")

    def why_not(self):
        """None for a feasible config, else a WhyNot."""
        if self["status"] == "ok":
            return None
        status, reason = self["status"], self["reason"]
        margin, units, detail = self["reason_margin"], self._sweep.about("reason_margin").units, ""
        rule, axes = self._sweep.rule_of(self["rule"]) if "rule" in self._sweep.names() else ("", ())
        if reason == "memory" and not np.isnan(margin):
            needs, limit = shown(self["mem_peak"], "byte"), shown(self["mem_limit"], "byte")
            detail = f", short by {shown(margin, units)} (needs {needs}, may use {limit})"
        elif reason == "limit" and {"limit", "limit_excess"} <= set(self._sweep.names()):
            margin, units = self["limit_excess"], "1"
            detail = f" {self['limit']}, {100 * margin:.3g} % beyond it"
        elif rule:
            detail = f": {rule} ({', '.join(axes)})"
        failures = self._sweep.failures()
        for message in failures["message"] if "message" in failures else ():
            detail += f"; {message}"
        cause = f": {reason}{detail}" if reason != "none" else detail
        kept = self._kept_for(reason, rule)
        return WhyNot(status, reason, float(margin), units, status + cause, rule, axes, kept)

    def _kept_for(self, reason, rule):
        limit = self["limit"] if "limit" in self._sweep.names() else "none"
        return self._sweep.nearest_of(reason, limit, self["rule"] if rule else "none")

    def neighbours(self):
        """Rows of the file that differ from this one in one axis, as a table. Inputs that are no axis follow as they must."""
        around, axes = self._around, self._around.axes()
        differs = np.zeros((len(around), max(1, len(axes))), dtype=bool)  # a file of one point has no axis
        for i, name in enumerate(axes):
            differs[:, i] = around.column(name) != self[name]
        found = np.flatnonzero(differs.sum(axis=1) == 1)
        found = found[np.argsort(differs[found].argmax(axis=1), kind="stable")]
        rows, which = around.view(found), differs[found].argmax(axis=1)
        data = {"axis": np.array([axes[i] for i in which], dtype=object),
                "value": np.array([around.column(axes[i])[row] for i, row in zip(which, found)], dtype=object),
                "config_id": rows.ids()}
        names = ["status", "reason", "step_time", "mem_peak"]
        data.update({name: rows.column(name) for name in names})
        return table_of(data, {name: rows.about(name) for name in names})

    def diff(self, other):
        """What changes from this row to `other`, which may be of another file."""
        mine, theirs = self.inputs(), other.inputs()
        inputs = {name: (mine[name], theirs.get(name)) for name in mine if mine[name] != theirs.get(name)}
        before, after = self.breakdown(), other.breakdown()
        parts = {part: after.get(part, 0.0) - seconds for part, seconds in before.items()
                 if after.get(part, 0.0) != seconds and not np.isnan(seconds)}
        common = [name for name in self._sweep.names("metric") if name in other._sweep.names("metric")]
        metrics = {name: (self[name], other[name]) for name in common if self[name] != other[name]}
        return Difference(inputs, parts, metrics)
