"""docs/refresh by itself: blocks are found, cut and compared, and a stale one is named."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import blocks  # noqa: E402

TABLE = """\
by step_time, 3 rows
 #  id        tp  #1 better    MFU
 1  5f40f8d1   4             52.0 %
 2  85f6b945   4   tie 51 %  52.0 %
10  8d1ec83e  16       99 %  45.0 %
ties: #1-#2
"""


def block(text):
    return blocks.read_blocks(text, "page")[0]


def test_a_fence_runs_the_command_it_shows():
    found = block("text\n<!-- refresh: best\nmask: \\d+ s\n-->\n```\n$ echo-sweep top x.h5   # why\nold 3 s\n```\n")
    assert (found.name, found.line, found.command, found.text) == ("best", 2, "echo-sweep top x.h5", "old 3 s\n")
    assert blocks.same(found, "old 45 s\n") and not blocks.same(found, "new 3 s\n")


def test_a_table_ends_at_its_end():
    found = block("<!-- refresh: t\nrun: x\n-->\n| a |\n<!-- end -->\n| b |\n")
    assert found.text == "| a |\n"


@pytest.mark.parametrize("page", ["<!-- refresh: a\nrun: x\n-->\nno end\n", "<!-- refresh: a\nnonsense: x\n-->\n```\n```\n",
                                  "<!-- refresh: a -->\n```\nno command\n```\n"])
def test_a_block_that_cannot_be_run_is_refused(page):
    with pytest.raises(blocks.BadBlock, match="page"):
        blocks.read_blocks(page, "page")


def test_lines_and_columns_are_cut():
    found = block("<!-- refresh: a\nlines: 1-3 5-\ncolumns: id, #1 better\n-->\n```\n$ x\n```\n")
    assert blocks.cut(found, TABLE).splitlines() == [
        "by step_time, 3 rows", "id        #1 better", "5f40f8d1", "8d1ec83e       99 %", "ties: #1-#2"]


def test_lines_between_two_that_match_are_cut():
    found = block("<!-- refresh: a\nfrom: ^ ?#\nto: ^ties\nrun: x\n-->\n```\n```\n")
    assert blocks.cut(found, TABLE) == "".join(TABLE.splitlines(True)[1:5])


def refresh(page, program, *words):
    return subprocess.run([sys.executable, "-B", ROOT / "docs/refresh", *words, page], capture_output=True, text=True,
                          env={**os.environ, "ECHO_SWEEP": str(program)})


def test_a_stale_page_is_named_and_written_again(tmp_path):
    program = tmp_path / "echo-sweep"
    program.write_text("#!/bin/sh\necho one; echo two\n")
    program.chmod(0o755)
    page = tmp_path / "page.md"
    page.write_text("<!-- refresh: words -->\n```\n$ echo-sweep\none\n```\nend\n")
    done = refresh(page, program, "--check")
    assert done.returncode == 1 and "page.md:1: words: stale" in done.stdout and "+two" in done.stdout
    assert refresh(page, program).returncode == 0
    assert page.read_text() == "<!-- refresh: words -->\n```\n$ echo-sweep\none\ntwo\n```\nend\n"
    assert refresh(page, program, "--check").returncode == 0
