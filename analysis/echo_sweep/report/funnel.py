"""From all combinations of the axes to the rows that are ranked: what each rule, limit and lack takes away."""

import numpy as np


def outcomes(rows):
    """[{"cause", "kind", "rows"}] of the rows of a model that are not ranked, the most frequent first within each kind."""
    view = rows.all
    places = view.places()
    codes = {name: view.about(name).codes[places] for name in ("status", "reason", "limit", "rule") if name in view.names()}
    key = np.zeros(len(view), dtype=np.int64)
    for values in codes.values():
        key = key * 256 + (values.astype(np.int64) & 255)
    kept = codes["status"] != 0
    found = []
    for one, count in zip(*np.unique(key[kept], return_counts=True)):
        first = int(np.flatnonzero(key == one)[0])
        words = {name: view.about(name).words.get(int(values[first]), "") for name, values in codes.items()}
        found.append(_said(view, words, int(count)))
    found.sort(key=lambda entry: (entry["kind"] != "unsupported", entry["kind"] != "memory", -entry["rows"]))
    if len(rows.doubtful):
        least = view.attributes.get("min_fit_chance", 0.0)
        found.append({"kind": "doubtful", "rows": len(rows.doubtful), "axes": "",
                      "cause": f"may not fit the memory: the chance is below {100 * least:.0f} %"})
    return found


def _said(view, words, count):
    """An entry in words."""
    if words["status"] != "infeasible":
        said = {"failed": "failed in the simulator", "over_budget": "more pipeline tasks than [run] work_budget",
                "pending": "not simulated yet"}
        return {"kind": words["status"], "cause": said.get(words["status"], words["status"]), "axes": "", "rows": count}
    if words["reason"] == "memory":
        return {"kind": "memory", "cause": "needs more memory than its GPU has", "axes": "", "rows": count}
    if words["reason"] == "limit":
        return {"kind": "limit", "cause": f"beyond the limit \"{words.get('limit', '')}\" of the sweep", "axes": "", "rows": count}
    text, axes = view.rule_of(words.get("rule", "none"))
    return {"kind": "unsupported", "cause": text or words["reason"], "axes": " ".join(axes), "rows": count}
