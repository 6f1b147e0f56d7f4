"""Two result files of much the same sweep: what changed, and what may have caused it."""

from dataclasses import dataclass

import numpy as np

from .table import table_of


@dataclass(frozen=True)
class SweepDifference:
    """`only_before`, `only_after`: Sweeps of the configs the other lacks. `changed`: a table of common configs whose
    metric or status differs, the largest change first. `causes`: program, inputs and settings that differ, as text."""
    metric: str
    only_before: object
    only_after: object
    common: int
    changed: object
    causes: list

    def __str__(self):
        causes = "; ".join(self.causes) or "no cause on record: same program, same inputs"
        return (f"{self.common} common configs, {len(self.changed['config_id'])} with another {self.metric}; "
                f"{len(self.only_before)} gone, {len(self.only_after)} new\n{causes}")


KEYS = {"code_key": "the program", "catalog_key": "presets", "calibration_key": "calibration", "space_key": "the space"}


def causes_of(before, after):
    """What differs between the provenance of two files: versions, input files by hash, settings by line."""
    causes = [f"{key} {before[key]} -> {after[key]}" for key in ("version", "git_commit", "build_type", "compiler")
              if before.get(key) != after.get(key)]
    old, new = (dict(zip(facts.get("inputs", {}).get("name", ()), facts.get("inputs", {}).get("hash", ())))
                for facts in (before, after))
    causes += [f"input {name} {'changed' if name in old and name in new else 'added' if name in new else 'gone'}"
               for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    lines = [[line.strip() for line in facts.get("resolved_toml", "").splitlines()] for facts in (before, after)]
    causes += [f"sweep - {line}" for line in lines[0] if line and line not in lines[1]]
    causes += [f"sweep + {line}" for line in lines[1] if line and line not in lines[0]]
    return causes


def ranks_of(sweep, metric):
    """Place of each row in the ranking, from 1; 0 where it has none."""
    place = {row_id: i + 1 for i, row_id in enumerate(sweep.best(by=metric).ids())}
    return np.array([place.get(row_id, 0) for row_id in sweep.ids()], dtype=np.int64)


def difference(before, after, metric):
    common, i, j = np.intersect1d(before.ids(), after.ids(), return_indices=True)
    old, new = before.view(i), after.view(j)
    a, b = (rows.column(metric).astype(float) for rows in (old, new))
    differs = ~((a == b) | (np.isnan(a) & np.isnan(b))) | (old.column("status") != new.column("status"))
    change = np.where(differs, np.abs(b / a - 1.0), 0.0)
    order = np.flatnonzero(differs)
    order = order[np.argsort(-np.where(np.isnan(change), np.inf, change)[order], kind="stable")]
    ranks = [ranks_of(sweep, metric)[rows][order] for sweep, rows in ((before, i), (after, j))]
    data = {"config_id": common[order], f"{metric}_before": a[order], f"{metric}_after": b[order],
            "rank_before": ranks[0], "rank_after": ranks[1],
            "status_before": old.column("status")[order], "status_after": new.column("status")[order]}
    gone, added = (rows.view(~np.isin(rows.ids(), common)) for rows in (before, after))
    causes = [f"{what} changed" for key, what in KEYS.items()
              if before.attributes.get(key) != after.attributes.get(key)]
    causes += causes_of(before.provenance(), after.provenance())
    return SweepDifference(metric, gone, added, len(common), table_of(data, {}), causes)
