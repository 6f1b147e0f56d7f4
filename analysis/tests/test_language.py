"""The comparison language: the same answers as the program's own, and nothing else than comparisons."""

import numpy as np
import pytest

import echo_sweep as es
from echo_sweep.language import holds, number, quantity

# As a `keep` sees them: before the program settles what has no effect (ZeRO on one replica, sp on one GPU).
CONDITIONS = [
    "tp * pp >= 8 and micro_batch < 2",
    "model == 'llama2-7b' or pp != 1 and not tp == 2",
    "dp % 3 == 0 or -7 % tp == 1",
    "min(tp, pp) == 2 and max(tp, pp, 3) <= 4",
    "gpus // (tp * 3) > 1 and -tp + 4 > pp - 1",
    "microbatches / 5 < 2.5",
    "dp > 1 and zero == 1 and recompute == \"full\"",
    "tp > 1 and sequence_parallel == (cluster != 'dgx-h100-ndr400')",
    "micro_batch * seq_len == 4 Ki",
    "tp == 1 or 1 / (tp - 1) > 0.2",
    "not (1 / (tp - 1) > 0.2)",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_program_keeps_the_same_rows(condition, result, swept, small_sweep):
    """The condition as a [[keep]] of the sweep, and as `where` on the rows of the sweep without it."""
    quoted = condition.replace('"', "'")
    kept = swept(f'{small_sweep}\n[[keep]]\nname = "condition"\nexpr = "{quoted}"\n', "kept")
    everything, chosen = es.open(result), es.open(result).where(condition)
    assert 0 < len(chosen) < len(everything)
    assert list(chosen.ids()) == list(es.open(kept).ids())


def look_up(name):
    from echo_sweep.language import Value

    return {"a": Value("number", np.array([0.0, 1.0, np.nan])), "on": Value("truth", np.array([0.0, 1.0, 1.0])),
            "word": Value("word", np.array(["x", "y", "and"], dtype=object))}.get(name)


@pytest.mark.parametrize("text, expected", [
    ("a < 1", [1, 0, 0]), ("not a < 1", [0, 1, 0]), ("a != 1", [1, 0, 0]),  # an unknown value is in neither half
    ("1 / a == 1", [0, 1, 0]), ("a == 0 or 1 / a > 0", [1, 1, 0]), ("1 / a > 0 or a == 0", [0, 1, 0]),
    ("on or a == 7", [0, 1, 1]), ("a == 7 or on", [0, 1, 0]), ("on and a == 1", [0, 1, 0]),
    ("word == 'and'", [0, 0, 1]), ("word != \"x\"", [0, 1, 1]), ("true", [1, 1, 1]), ("on == false", [1, 0, 0]),
])
def test_what_is_unknown_is_not_true(text, expected):
    assert list(holds(text, look_up, 3)) == [bool(value) for value in expected]


@pytest.mark.parametrize("text, value", [
    ("70 GiB", 70 * 2**30), ("80GB", 80e9), ("3 h 30 min", 12600), ("1.5 d", 129600), ("4 Mi", 4 * 2**20), ("2", 2),
    ("1 T tokens", 1e12), ("300 B tokens", 3e11), ("250 ms", 0.25), ("2 * 3 h", 21600), ("min(2 min, 90 s)", 90),
    ("1e3 s", 1000), ("1_000", 1000),
])
def test_units_are_si(text, value):
    assert quantity(text) == pytest.approx(value, rel=1e-15)


def test_units_inside_words_stay_words():
    names = {"word": np.array(["70 GiB"], dtype=object)}
    from echo_sweep.language import Value

    assert holds("word == '70 GiB'", lambda name: Value("word", names[name]), 1)[0]


@pytest.mark.parametrize("text, problem", [
    ("__import__('os').system('true')", "only min"), ("a.__class__ == 1", "Attribute"), ("[1][0] == 1", "Subscript"),
    ("(lambda: 1)() == 1", "only min"), ("a ** 2 > 1", "Pow"), ("a if on else a", "IfExp"), ("a in (1, 2)", "In "),
    ("f'{a}' == 'x'", "JoinedStr"), ("a & 1 == 1", "BitAnd"), ("a < 1 < 2", "do not chain"), ("b'x' == 'x'", "b'x'"),
    ("(a := 1) == 1", "NamedExpr"), ("min(*a) < 1", "Starred"), ("max(a, key=a) < 1", "only min"),
    ("min() < 1", "only min"),
    ("nothing == 1", "no column 'nothing'"), ("a = 1", "not an expression"), ("", "not an expression"),
    ("word == 1", "number is wanted"), ("word < 'x'", "neither less nor more"), ("on + 1 == 2", "number is wanted"),
    ("not a", "true or false is wanted"), ("a and on", "true or false is wanted"), ("a + 1", "a condition is wanted"),
    ("on == 1", "number is wanted"), ("a == 1 and " * 300 + "a == 1", "2000 characters"),
    ("not " * 100 + "on", "nested too deeply"), ("(" * 300 + "on" + ")" * 300, "not an expression"), ("a == 1j", "1j"),
    ("a < 1e999", "too large"), ("a < " + "9" * 400, "too large"),
    ("+a == 1", "only - and not"), ("~a == 1", "only - and not"), ("a == None", "None"),
])
def test_everything_else_is_refused(text, problem):
    with pytest.raises(ValueError, match=problem.replace("(", r"\(")):
        holds(text, look_up, 3)


def test_random_arithmetic_is_python_s(seed=20261120):
    """Trees of + - * / // % min max over numbers, against Python's own evaluation."""
    random = np.random.default_rng(seed)

    def tree(depth):
        if depth == 0 or random.random() < 0.2:
            return str(random.integers(1, 9)) if random.random() < 0.7 else f"{random.uniform(0.5, 9):.3f}"
        left, right = tree(depth - 1), tree(depth - 1)
        if random.random() < 0.2:
            return f"{random.choice(['min', 'max'])}({left}, {right})"
        return f"({left} {random.choice(['+', '-', '*', '/', '//', '%'])} {right})"

    for _ in range(300):
        text = tree(4)
        try:
            expected = float(eval(text, {"__builtins__": {}, "min": min, "max": max}))  # of our own making
        except ZeroDivisionError:
            expected = np.nan
        np.testing.assert_allclose(number(text, look_up, 1)[0], expected, rtol=1e-12, err_msg=f"{text}, seed {seed}")


def test_any_text_is_answered_or_refused(seed=7):
    """Random words of the language and of Python: an answer or a ValueError, never anything else."""
    random = np.random.default_rng(seed)
    words = ["a", "on", "word", "'x'", "1", "2.5", "70 GiB", "(", ")", "and", "or", "not", "<", "==", "+", "-", "*",
             "/", "//", "%", "**", "min(", "max(", ",", "true", "lambda", ":", "[", "]", ".", "if", "else", "in", "0x",
             "1e999", "9" * 400, "{", "}", "\n", "\\", "#", "\0", "é", "'", "3 h 30 min", "await", ":=", "f'{a}'",
             "None", "10**10**10"]
    answered = 0
    for _ in range(6000):
        text = " ".join(random.choice(words, random.integers(1, 9)))
        try:
            answered += len(holds(text, look_up, 3)) == 3
        except ValueError:
            pass
    assert answered > 20
