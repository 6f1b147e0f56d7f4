"""Links between pages lead somewhere, and the first pages are as short as they promise."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in ROOT.rglob("*.md")
               if not {"build", ".git", ".pytest_cache"} & set(page.relative_to(ROOT).parts[:-1]))
link = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page):
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    heads = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def dead_links(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    for target in link.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists():
            yield f"{page.relative_to(ROOT)}: {target}: no such file"
        elif anchor and anchor not in anchors(there):
            yield f"{page.relative_to(ROOT)}: {target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page):
    assert not list(dead_links(page))


def test_a_dead_link_is_found(tmp_path):
    page = ROOT / "docs/glossary.md"
    assert "glossary" in anchors(page)
    assert "accuracy-on-echos-table" in anchors(ROOT / "docs/slowdown.md")


def test_each_page_of_docs_is_reached_from_the_readme():
    named = {(ROOT / target.partition("#")[0]).resolve() for target in link.findall((ROOT / "README.md").read_text())}
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if page not in named]
    assert not missing


def test_the_first_pages_are_short():
    assert len((ROOT / "README.md").read_bytes()) <= 8192
    assert len((ROOT / "src/README.md").read_text().splitlines()) <= 150


def test_the_index_of_headers_says_what_each_is():
    done = subprocess.run([sys.executable, "-B", ROOT / "src/headers.py"], capture_output=True, text=True, check=True)
    listed = re.findall(r"^- `([^`]+)`: (\S.*)$", done.stdout, flags=re.M)
    assert [name for name, _ in listed] and len(listed) == len(list((ROOT / "src").rglob("*.hpp")))
    assert subprocess.run([sys.executable, "-B", ROOT / "src/headers.py", "attic"], capture_output=True).returncode == 1
