"""What must run on any Python from 3.8 on, with nothing but its standard library."""

import ast
import pathlib
import sys

import pytest

KIT = pathlib.Path(__file__).resolve().parents[2] / "src/bring_up/echo_bring_up"
OURS = {"echo_bring_up", "echo_sweep", "busy_time", "llama", "sizes"}  # training/ is a program's own folder
OF_TORCH = {"step.py", "llama.py"}
FILES = sorted(KIT.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(KIT)))
def test_it_is_python_3_8_of_the_standard_library(file):
    tree = ast.parse(file.read_text(), feature_version=(3, 8))
    allowed = set(sys.stdlib_module_names) | OURS | ({"torch"} if file.name in OF_TORCH else set())
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        for name in names:
            assert name.partition(".")[0] in allowed, f"{file}:{node.lineno}: {name}"


def test_there_are_stages_to_check():
    assert len(FILES) > 15 and any(file.parent.name == "stages" for file in FILES)
