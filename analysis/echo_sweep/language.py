"""The comparison language of sweep.toml over the columns of a result file.

Numbers (with units, `70 GiB`, `30 d`), quoted words, true and false, on and off; names of columns; + - * / // % and min max;
< <= == != >= >, one at a time; and, or, not. Python's own parser cuts the text up, and only what is listed here is
carried out: no other call, no attribute, no index. A comparison with a missing value (NaN, division by zero) has no
answer, and neither has what depends on it: `and` and `or` read from the left, as the program does.
"""

import ast
import operator
import re
import sys
import warnings
from typing import NamedTuple

import numpy as np

PREFIXES = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400,
         **PREFIXES, "B": 1, **{prefix + "B": factor for prefix, factor in PREFIXES.items()},
         "g": 1e-3, "kg": 1, "t": 1000, **{prefix + "J": factor for prefix, factor in {"": 1, **PREFIXES}.items()},
         **{prefix + "Wh": 3600 * factor for prefix, factor in {"": 1, **PREFIXES}.items()},
         **{prefix + "W": factor for prefix, factor in {"": 1, **PREFIXES}.items()},
         "tokens": 1, "B tokens": 10**9, **{prefix + " tokens": factor for prefix, factor in PREFIXES.items()}}
PART = r"(\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)\s*(" + "|".join(sorted(UNITS, key=len, reverse=True)) + r")\b"
QUANTITY = re.compile(rf"(?<![\w.]){PART}(?:\s*{PART})*")  # 70 GiB, 3 h 30 min
QUOTED = re.compile(r"""('[^']*'|"[^"]*")""")
MAX_LENGTH, MAX_DEPTH = 2000, 48  # nesting as in the program

ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
COMPARISONS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Eq: operator.eq, ast.NotEq: operator.ne,
               ast.GtE: operator.ge, ast.Gt: operator.gt}
EXTREMES = {"min": np.minimum, "max": np.maximum}


class Value(NamedTuple):
    """`kind` is number, word or truth; truth is 1, 0 or, without an answer, NaN."""
    kind: str
    data: object
    codes: object = None  # the number behind a word, for columns that sweep.toml writes as a number


def _in_si(quantity):
    return "(" + "+".join(f"{number}*{UNITS[unit]!r}" for number, unit in re.findall(PART, quantity[0])) + ")"


def with_units(text):
    """`text` with 70 GiB as (70*1073741824); quoted words stay as they are."""
    pieces = QUOTED.split(text)
    return "".join(piece if i % 2 else QUANTITY.sub(_in_si, piece) for i, piece in enumerate(pieces))


def quantity(text):
    """"30 d" or 2592000 in SI units: what options of scripts take."""
    return float(number(str(text), lambda name: None, 1)[0])


class _Evaluation:
    def __init__(self, text, lookup):
        self._text, self._lookup = text, lookup

    def fail(self, problem):
        raise ValueError(f"{problem}, in {self._text!r}")

    def whole(self):
        if len(self._text) > MAX_LENGTH:
            self.fail(f"expressions end after {MAX_LENGTH} characters")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python's advice on Python
                tree = ast.parse(with_units(self._text).strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.fail(f"not an expression ({getattr(error, 'msg', error)})")
        return self.value(tree.body, 0)

    def value(self, node, depth):
        if depth > MAX_DEPTH:
            self.fail("nested too deeply")
        handler = getattr(self, "on_" + type(node).__name__.lower(), None)
        if handler is None:
            self.fail(f"{type(node).__name__} does not belong to the language")
        return handler(node, depth + 1)

    def number(self, node, depth):
        return self.as_number(self.value(node, depth))

    def as_number(self, value):
        if value.kind == "number":
            return value.data
        if value.codes is None:
            self.fail(f"a number is wanted, not a {value.kind}")
        return value.codes

    @staticmethod
    def as_switch(value, other):
        """'on' and 'off' beside a truth value, as tables print it."""
        if value.kind == "word" and other.kind == "truth" and isinstance(value.data, str) and value.data in ("on", "off"):
            return Value("truth", np.float64(value.data == "on"))
        return value

    def truth(self, node, depth):
        value = self.value(node, depth)
        if value.kind != "truth":
            self.fail(f"true or false is wanted, not a {value.kind}")
        return value.data

    # --- leaves
    def on_constant(self, node, depth):
        if isinstance(node.value, bool):
            return Value("truth", np.float64(node.value))
        if isinstance(node.value, (int, float)):
            if not abs(node.value) <= sys.float_info.max:
                self.fail("a number is too large")
            return Value("number", np.float64(node.value))
        if isinstance(node.value, str):
            return Value("word", node.value)
        self.fail(f"{node.value!r} does not belong to the language")

    def on_name(self, node, depth):
        if node.id in ("true", "false"):
            return Value("truth", np.float64(node.id == "true"))
        found = self._lookup(node.id)
        if found is None and node.id in ("on", "off"):
            return Value("truth", np.float64(node.id == "on"))
        if found is None:
            self.fail(f"there is no column {node.id!r}")
        return found

    # --- inner nodes
    def on_boolop(self, node, depth):
        goes_on_at = 1.0 if isinstance(node.op, ast.And) else 0.0
        result = self.truth(node.values[0], depth)
        for operand in node.values[1:]:
            result = np.where(result == goes_on_at, self.truth(operand, depth), result)
        return Value("truth", result)

    def on_unaryop(self, node, depth):
        if isinstance(node.op, ast.Not):
            return Value("truth", 1.0 - self.truth(node.operand, depth))
        if isinstance(node.op, ast.USub):
            return Value("number", -self.number(node.operand, depth))
        self.fail("only - and not stand before one value")

    def on_binop(self, node, depth):
        if type(node.op) not in ARITHMETIC:
            self.fail(f"{type(node.op).__name__} does not belong to the language")
        left, right = self.number(node.left, depth), self.number(node.right, depth)
        with np.errstate(all="ignore"):
            result = ARITHMETIC[type(node.op)](left, right)
        return Value("number", np.where(np.isfinite(result), result, np.nan))

    def on_call(self, node, depth):
        name = getattr(node.func, "id", "")
        if name not in EXTREMES or node.keywords or not node.args:
            self.fail("only min(...) and max(...) may be called")
        result = self.number(node.args[0], depth)
        for argument in node.args[1:]:
            result = EXTREMES[name](result, self.number(argument, depth))
        return Value("number", result)

    def on_compare(self, node, depth):
        if len(node.ops) > 1:
            self.fail("comparisons do not chain: write a < b and b < c")
        compare = COMPARISONS.get(type(node.ops[0]))
        if compare is None:
            self.fail(f"{type(node.ops[0]).__name__} does not belong to the language")
        left, right = self.value(node.left, depth), self.value(node.comparators[0], depth)
        left, right = self.as_switch(left, right), self.as_switch(right, left)
        alike = left.kind == right.kind and left.kind != "number"
        if alike and compare not in (operator.eq, operator.ne):
            self.fail(f"a {left.kind} is neither less nor more than another; == and != compare them")
        if alike and left.kind == "word":
            return Value("truth", np.asarray(compare(left.data, right.data), dtype=float))
        sides = (left.data, right.data) if alike else (self.as_number(left), self.as_number(right))
        known = ~(np.isnan(sides[0]) | np.isnan(sides[1]))
        return Value("truth", np.where(known, compare(*sides), np.nan))


def holds(text, lookup, size):
    """Where `text` is true, as bool[size]. `lookup` answers a name with its Value, or None."""
    evaluation = _Evaluation(text, lookup)
    result = evaluation.whole()
    if result.kind != "truth":
        evaluation.fail(f"a condition is wanted, not a {result.kind}")
    return np.broadcast_to(np.asarray(result.data) == 1.0, (size,))


def number(text, lookup, size):
    """What `text` comes to, as float[size]; NaN where it has no result."""
    evaluation = _Evaluation(text, lookup)
    return np.array(np.broadcast_to(evaluation.as_number(evaluation.whole()), (size,)))
