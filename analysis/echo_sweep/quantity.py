"""Numbers as people read them."""

import math

TIMES = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
ENERGIES = ((3.6e12, "GWh"), (3.6e9, "MWh"), (3.6e6, "kWh"), (1e3, "kJ"), (1.0, "J"))
MASSES = ((1e3, "t"), (1.0, "kg"))
SIZES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))


def scale_of(units, largest):
    """(divisor, unit) in which values up to `largest` read well: bytes in GiB, long times in days; else as they are."""
    steps = {"byte": SIZES, "s": TIMES, "J": ENERGIES, "kg": MASSES}.get(units)
    if not steps or not math.isfinite(largest) or largest == 0.0:
        return 1.0, {"byte": "B", "1": "", "s-1": "1/s"}.get(units, units)
    keep_whole = {"s": 2.0}.get(units, 1.0)  # 90 s, not 1.5 min
    return next(((factor, name) for factor, name in steps if abs(largest) >= keep_whole * factor), steps[-1])


def shown(value, units="1", digits=4):
    """shown(8.5e9, "byte") is "7.92 GiB"."""
    if value is None or math.isnan(value):
        return "-"
    divisor, unit = scale_of(units, value)
    return f"{value / divisor:.{digits}g} {unit}".strip()
