"""Figures as people read them; always with whether they are measured, predicted or neither."""

import os
import sys


def say(line):
    """Prints, where somebody still listens: a closed terminal or pipe is no reason to stop measuring."""
    try:
        print(line, flush=True)
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w")


def quantity(value, unit):
    if isinstance(value, str):
        return value
    if unit == "s":
        for factor, name in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
            if abs(value) * factor >= 1.0 or name == "us":
                return "%.4g %s" % (value * factor, name)
    if unit == "B":
        return "%.2f GiB" % (value / 2.0 ** 30)
    return ("%.4g %s" % (value, unit)).strip()


def number_text(number):
    if number.value is None:
        says_why = number.note.startswith(("not run", "failed", "cut off"))
        return number.note if says_why else "not run: " + (number.note or "no reason known")
    kind = "" if isinstance(number.value, str) else ", " + number.kind  # a name is what it is
    return "%s%s%s" % (quantity(number.value, number.unit), kind, " (%s)" % number.note if number.note else "")
