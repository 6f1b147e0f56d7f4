"""The generator of axes refuses bad entries, the compiler entries that its enumerations do not bear out, and the table of axes
that readers see is that of axes.toml."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GENERATOR = ROOT / "src/training/generate_axes.py"
AXES = (ROOT / "src/training/axes.toml").read_text()
EXTRA = """
[[axis]]
name = "extra"
kind = "word"
words = ["fused", "compiled", "eager"]
type = "ops::KernelStyle"
plain = "fused"
idle_unless = ["has_stages"]
idle_at_plain = true
without = "the framework's"
stored = "i1"
since = "1.7"
long_name = "extra"
description = "made up"
"""


def generate(tmp_path, text):
    (tmp_path / "axes.toml").write_text(text)
    command = [sys.executable, "-B", GENERATOR, tmp_path / "axes.toml", tmp_path / "out"]
    return subprocess.run(command, capture_output=True, text=True)


def compiles(tmp_path):
    compiler = shutil.which("c++")
    assert compiler, "no C++ compiler"
    subprocess.run([sys.executable, "-B", ROOT / "src/machine/generate_topology_words.py",
                    ROOT / "src/machine/topologies", tmp_path / "out/machine/topology_words.hpp"], check=True)
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", f"-I{tmp_path}/out", f"-I{ROOT}/src",
               tmp_path / "out/training_axes.cpp"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("text, problem", [
    (EXTRA.replace('without = "the framework\'s"\n', ""), "has no without"),
    (EXTRA + "unit = 1\n", "unknown key unit"),
    (EXTRA.replace('"word"', '"some"'), "kind must be one of"),
    (EXTRA.replace('name = "extra"', 'name = "tp"'), "stands twice"),
    (EXTRA.replace('plain = "fused"', 'plain = "plain"'), "plain is no value of it"),
    (EXTRA.replace('plain = "fused"\n', ""), "has no plain"),
    (EXTRA.replace('type = "ops::KernelStyle"\n', ""), "has no type"),
    (EXTRA.replace('"word"', '"count"'), "words are for the kinds"),
    (EXTRA + 'enumerators = ["fused"]\n', "one enumerator for each word"),
])
def test_bad_entries_are_refused(tmp_path, text, problem):
    result = generate(tmp_path, AXES + text)
    assert result.returncode == 1 and problem in result.stderr
    assert not (tmp_path / "out").exists()


def test_one_entry_makes_a_member_a_row_and_a_column(tmp_path):
    assert generate(tmp_path, AXES + EXTRA).returncode == 0
    assert "ops::KernelStyle extra = ops::KernelStyle::fused;" in (tmp_path / "out/training/recipe_members.inc").read_text()
    result = compiles(tmp_path)
    assert result.returncode == 0, result.stderr


def test_words_may_be_those_of_a_table(tmp_path):
    words = """["auto", "LL", "LL128", "Simple"]
enumerators = ["automatic", "ll", "ll128", "simple"]
same_as = "ops::nccl_protocol_names"
"""
    assert words in AXES
    text = AXES.replace(words, '"ops::nccl_protocol_names"\nvalues = "protocols"\n').replace(
        'type = "ops::NcclProtocol"\nplain = "auto"', 'type = "ops::NcclProtocol"\nplain = "automatic"')
    assert generate(tmp_path, text).returncode == 0
    result = compiles(tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("change, complaint", [
    (('words = ["p2p", "all_gather", "a2a", "a2a+p2p"]', 'words = ["p2p", "a2a", "a2a+p2p"]'), "one enumerator for each word"),
    (('words = ["uniform", "block", "every"]', 'words = ["block", "uniform", "every"]'), "RecomputeMethod is not in the order of the words"),
    (('words = ["uniform", "block", "every"]', 'words = ["uniform", "block"]'), "not handled in switch"),
    (('words = ["uniform", "block", "every"]', 'words = ["uniform", "blocks", "every"]'), "is not a member of"),
    (('["auto", "LL", "LL128", "Simple"]', '["auto", "LL", "LL128", "simple"]'), "words of 'nccl_proto' and"),
    (('idle_unless = ["has_adapters"]', 'idle_unless = ["has_adaptors"]'), "is not a member of"),
    (('member = "degrees.tensor"', 'member = "degrees.tensors"'), "no member named"),
])
def test_entries_are_held_to_what_they_name(tmp_path, change, complaint):
    assert change[0] in AXES
    result = generate(tmp_path, AXES.replace(*change))
    if result.returncode == 0:
        result = compiles(tmp_path)
    assert result.returncode != 0 and complaint in result.stderr, result.stderr


def test_the_table_that_readers_see_is_not_stale(tmp_path):
    page = ROOT / "sweeps/README.md"
    shutil.copy(page, tmp_path / "README.md")
    subprocess.run([sys.executable, "-B", GENERATOR, ROOT / "src/training/axes.toml", "--refresh", tmp_path / "README.md"],
                   check=True)
    assert (tmp_path / "README.md").read_text() == page.read_text(), \
        "run src/training/generate_axes.py src/training/axes.toml --refresh sweeps/README.md"
