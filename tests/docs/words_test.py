"""Words that a reader does not know, kept out of pages, sources and the catalog: private English, and metaphors where
a standard term exists.

A folder is covered by one line of CHECKED: a glob, and what of a file is read. In a page that is the prose: fenced
blocks are the program's output, whose words are held where they are written.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PER = ("stage|rank|node|worker|GPU|gpu|row|line|point|layer|step|kernel|mechanism|process|unit|microbatch|group|run|file"
       "|call|pair|table|column")
BANNED = [  # what is not written, and what is written instead
    (rf"\b(?:a|an|one) (?!that|than|of|in|if|is|on|as|for)[\w-]+ an? (?:{PER})s?\b", "one per stage"),
    (rf"(?i:\b(?:one|once|twice)) an? (?:{PER})\b", "one per stage, once per step"),
    (r"\bh(?:ang|angs|ung) on\b|\w+HangsOn\w*|\bHangsOn\w*", "depends on"),
    (r"\bcorridors?\b", "pipeline"),
    (r"\b(?:the|a|every|eight|other|all|of) rooms?\b(?! in)", "stage, module"),
    (r"\bthe house\b|\bof the house\b", "the program, the project"),
    (r"\bflat arrays?\b", "plain arrays"),
    (r"\btold\b", "given, reported, distinguished"),
    (r"\bwhat of\b", "which part of"),
    (r"(?i:\blikewise\b)", "too, also; or say it again"),
    (r"\bbeyond the evidence\b", "no measurement supports"),
    (r"\bits variance is of\b", "the uncertainty comes from"),
    (r"\bone need not have\b", "that you need not have"),
    (r"\bhas the say\b", "takes precedence"),
    (r"\balike in all but\b", "that differ only in"),
    (r"\blike (?:ranks|figures|gpu ranks|points|rows|flows|rounds)\b", "identical, corresponding"),
    (r"\bgo(?:es)? on from\b", "resumes"),
    (r"\bdealt out\b", "distributed"),
    (r"\bmended\b|\bmends\b", "fixed"),
    (r"\banew\b", "again"),
    (r"(?:^ *|[.;:!?] )Of (?!course)", "a sentence that begins with its subject"),
    (r"\bwhat (?:it|they|that|this) (?:is|are) of\b", "a noun"),
]
clipped = ("per stage", "depends on", "say it again")
banned = [(re.compile(pattern, re.M), better) for pattern, better in BANNED]


def prose(text):
    """Markdown without fenced blocks, comments and code spans; lines stay where they are."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])

    text = re.sub(r"^```.*?^```$", blank, text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`|\]\([^)\n]*\)", blank, re.sub(r"<!--.*?-->", blank, text, flags=re.S))


def comments(text):
    """Comments of TOML, Python and shell."""
    return "\n".join(line.partition("#")[2] for line in text.splitlines())


def code_comments(text):
    """Comments of C++ without code spans; lines stay where they are."""
    lines = (re.search(r"(?:^|[^:\"])//(.*)$", line) for line in text.splitlines())
    return "\n".join(re.sub(r"`[^`]*`", "", found[1]) if found else "" for found in lines)


def literals(text):
    """String literals of C++, and raw ones; comments are left out."""
    kept = re.findall(r'R"\((.*?)\)"|"((?:[^"\\\n]|\\.)*)"', re.sub(r"//[^\n]*", "", text), flags=re.S)
    return "\n".join(a or b for a, b in kept)


def documentation(text):
    """Documentation strings of Python."""
    return "\n".join(re.findall(r'"""(.*?)"""', text, flags=re.S))


def test_names(text):
    """Names of C++ tests."""
    return "\n".join(re.findall(r"^(?:TEST|TEST_F|TEST_P)\(\w+, (\w+)\)", text, flags=re.M))


CHECKED = [
    ("*.md", prose), ("docs/**/*.md", prose), ("analysis/**/*.md", prose), ("hdf5_schemas/**/*.md", prose),
    ("slurm/**/*.md", prose), ("src/**/*.md", prose), ("sweeps/**/*.md", prose), ("tests/**/*.md", prose),
    ("sweeps/**/*.toml", comments), ("src/**/*.hpp", code_comments), ("src/**/*.cpp", code_comments),
    ("src/**/*.hpp", literals), ("src/**/*.cpp", literals), ("analysis/**/*.py", comments),
]
CLIPPED = [  # where only the clipped phrases are looked for
    ("src/**/*.py", str), ("src/training/axes.toml", str), ("analysis/**/*.py", documentation),
    ("tests/**/*_test.py", documentation), ("tests/**/*.[ch]pp", code_comments), ("tests/**/*.cpp", test_names),
    ("CMakeLists.txt", comments), ("tests/**/CMakeLists.txt", comments),
]
test_names.__test__ = False  # no test itself
KEPT = {literals: ["src/validation/validate_slowdown.cpp"]}  # reports of `validate` are compared byte by byte


def problems(text, phrases=banned):
    for pattern, better in phrases:
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{line}: '{found[0].strip()}': write {better}"


@pytest.mark.parametrize("glob, reading", CHECKED, ids=[f"{glob} {reading.__name__}" for glob, reading in CHECKED])
def test_no_banned_words(glob, reading):
    files = sorted(file for file in ROOT.glob(glob) if str(file.relative_to(ROOT)) not in KEPT.get(reading, ()))
    assert files, f"nothing to check: {glob}"
    found = [f"{file.relative_to(ROOT)}:{problem}" for file in files for problem in problems(reading(file.read_text()))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("glob, reading", CLIPPED, ids=[f"{glob} {reading.__name__}" for glob, reading in CLIPPED])
def test_no_clipped_phrases(glob, reading):
    phrases = [one for one in banned if any(word in one[1] for word in clipped)]
    files = sorted(file for file in ROOT.glob(glob) if file.name != "words_test.py")
    assert files, f"nothing to check: {glob}"
    found = [f"{file.relative_to(ROOT)}:{problem}" for file in files
             for problem in problems(reading(file.read_text()), phrases)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["must be 4 strings, one a stage", "What a duration hangs on", "every room is pure",
                                  "pure functions over flat arrays", "beyond the evidence: network", "Of 28 steps, two",
                                  "a file a mechanism", "once a step", "Likewise.", "ADurationHangsOnThis", "which ranks are told apart"])
def test_each_phrase_is_caught(text):
    assert list(problems(text))


@pytest.mark.parametrize("text", ["one per stage", "a depends on b", "plain arrays", "room in the queue",
                                  "a model of a kernel", "one that a GPU runs", "the order of rows. It offers more"])
def test_plain_sentences_pass(text):
    assert not list(problems(text))


def test_what_is_read_of_a_file():
    assert prose("told\n```\nhangs on\n```\n`told` [x](told.md)").split() == ["told", "[x"]
    assert comments("a = 1  # told\n") == " told"
    assert code_comments('// What `told` is.\nf("http://x");\nint a;  // told\n') == " What  is.\n\n told"
    assert literals('f("one"); // "two"\nconst char* t = R"(three\nfour)";\n') == "one\nthree\nfour"
