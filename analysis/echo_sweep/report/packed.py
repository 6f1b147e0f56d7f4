"""Columns of chosen rows in a form that a page can carry: little-endian numbers in base64, words as their places in a list."""

import base64

import numpy as np

from ..view import WRITTEN_AS_NUMBER

# What the table and the pictures need of a row; every input that varies comes on top.
OUTCOMES = ("status", "reason", "rule", "reason_margin", "limit", "limit_excess", "evidence")
METRICS = ("step_time", "step_time_no_slowdown", "slowdown_tax", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "mem_peak",
           "mem_limit", "fit_chance", "train_time", "cost", "energy", "gpu_hours", "goodput", "bubble_frac",
           "exposed_comm_frac", "overlap_frac", "step_time_p90", "rel_error", "rel_error_p90", "mem_rel_error")
SENSITIVITIES = ("sens_flops", "sens_hbm", "sens_scale_up", "sens_scale_out", "sens_latency", "sens_host")


def text_of_bytes(values):
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def packed(values):
    """{"type", "data"} of numbers, in the smallest type that holds them; reals as 32 bits, seven digits."""
    values = np.asarray(values)
    if values.dtype.kind == "f":
        return {"type": "f4", "data": text_of_bytes(values.astype("<f4"))}
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    kinds = (("u1", 0, 255), ("i2", -2**15, 2**15 - 1), ("i4", -2**31, 2**31 - 1))
    for kind, least, most in kinds:
        if least <= low and high <= most:
            return {"type": kind, "data": text_of_bytes(values.astype("<" + kind))}
    return {"type": "f8", "data": text_of_bytes(values.astype("<f8"))}


def toml_of(word):
    """A word of an input as a sweep file writes it."""
    if word in ("on", "off"):
        return "true" if word == "on" else "false"
    return '"' + str(word).replace("\\", "\\\\").replace('"', '\\"') + '"'


def packed_column(view, name):
    """A column of `view`: {"name", "label", "units", "role", "goal", "words", and "same" or "type" and "data"}."""
    about = view.about(name)
    facts = {"name": name, "label": about.long_name, "units": about.units, "role": about.role, "goal": about.goal}
    if about.role == "metric":
        facts["follows"] = about.error_follows
    codes = about.codes[view.places()]
    if about.words and name not in WRITTEN_AS_NUMBER:
        kinds, codes = np.unique(codes, return_inverse=True)
        facts["words"] = [about.words[int(kind)] for kind in kinds]
        facts["toml"] = [toml_of(word) for word in facts["words"]]
        codes = codes.reshape(-1)
    if len(codes) and (codes == codes[0]).all():
        facts["same"] = codes[0].item()
        return facts
    return {**facts, **packed(codes)}


def packed_rows(view, metric):
    """What the page holds of the rows of `view`."""
    varying = set(view._file.varying)
    inputs = [name for name in view.names("input")]
    known = set(view.names())
    extra = [name for name in dict.fromkeys((metric, *view._file.objectives)) if name not in METRICS]
    names = inputs + [name for name in (*OUTCOMES, *METRICS, *extra, *SENSITIVITIES) if name in known and name not in inputs]
    columns = []
    for name in names:
        about = view.about(name)
        if about.role == "metric" and name not in (metric, "step_time") and not np.isfinite(about.codes[view.places()].astype(float)).any():
            continue
        columns.append({**packed_column(view, name), "varies": name in varying})
    keys = view.about("config_id").codes[view.places()].astype(">u8")
    return {"count": len(view), "ids": text_of_bytes(keys), "columns": columns, "parts": _parts(view)}


def _parts(view):
    """/breakdown of the rows: parts that are nowhere but zero are left out."""
    found = {}
    for kind in ("exposed_time", "mem"):
        parts = view.breakdown(kind)
        kept = {part: values for part, values in parts.items() if np.nan_to_num(values).any()}
        table = np.column_stack(list(kept.values())) if kept else np.zeros((len(view), 0))
        found[kind] = {"names": list(kept), **packed(table.astype(float))}
    return found
