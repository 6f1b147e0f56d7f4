"""One column: its values, and what the file says of them."""

from functools import cached_property

import numpy as np


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def default_goal(attributes):
    """"min", "max", or "" where the file does not say which way is better."""
    goal = attributes.get("objective", "")
    return goal if goal in ("min", "max") else ""


class Column:
    """Values of one quantity, a row each. `codes` are the numbers as stored, `values` words where they are coded."""

    def __init__(self, name, read, attributes, find_law=None):
        self.name = name
        self.attributes = attributes
        self._read = read
        self._find_law = find_law

    @property
    def units(self):
        return self.attributes.get("units", "1")

    @property
    def long_name(self):
        return self.attributes.get("long_name", self.name)

    @property
    def role(self):
        return self.attributes.get("role", "")

    @property
    def goal(self):
        return default_goal(self.attributes)

    @cached_property
    def error_follows(self):
        """Which error a value has: that of "step_time", "1/step_time" or "mem_peak", "none" or "unknown"."""
        if self._find_law is not None:
            return self._find_law()
        return self.attributes.get("error_follows", "none" if self.role == "input" else "unknown")

    @cached_property
    def words(self):
        """Code to word; empty where the column is not coded."""
        codes = self.attributes.get("flag_values", ())
        return dict(zip((int(code) for code in codes), self.attributes.get("flag_meanings", "").split()))

    @property
    def is_switch(self):
        return list(self.words.items()) == [(0, "off"), (1, "on")]

    @cached_property
    def codes(self):
        values = np.asarray(self._read())
        if values.dtype.kind in "OS":
            values = np.array([text_of(value) for value in values], dtype=object)
        return values

    @cached_property
    def values(self):
        if not self.words:
            return self.codes
        known, which = np.unique(self.codes, return_inverse=True)
        unknown = [int(code) for code in known if int(code) not in self.words]
        if unknown:
            raise ValueError(f"column {self.name} holds code {unknown[0]}, which its flag_meanings do not explain")
        return np.array([self.words[int(code)] for code in known], dtype=object)[which]

    @property
    def is_number(self):
        return not self.words and self.codes.dtype.kind in "iuf"
