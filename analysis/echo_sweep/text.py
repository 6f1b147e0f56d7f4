"""Tables for a terminal."""

import numpy as np

from .quantity import scale_of


def _cells(values, units):
    """(unit, texts) of one column, all in one unit."""
    values = np.asarray(values)
    if values.dtype.kind not in "iuf":
        return "", [str(value) for value in values]
    if values.dtype.kind in "iu":
        return "", [str(value) for value in values]
    finite = values[np.isfinite(values)]
    divisor, unit = scale_of(units, float(np.max(np.abs(finite))) if len(finite) else 0.0)
    return unit, ["-" if np.isnan(value) else f"{value / divisor:.4g}" for value in values]


def text_table(table, units):
    """`table` {name: values}, a frame or a dict, as aligned text; each number in a unit that reads well."""
    columns = []
    for name in table:
        values = [value[:8] for value in table[name]] if name == "config_id" else table[name]
        unit, texts = _cells(values, units.get(name, "1"))
        head = "id" if name == "config_id" else f"{name} [{unit}]" if unit else name
        width = max(len(text) for text in [head, *texts])
        is_number = np.asarray(values).dtype.kind in "iuf"
        columns.append([text.rjust(width) if is_number else text.ljust(width) for text in [head, *texts]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns))
