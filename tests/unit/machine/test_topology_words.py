"""The words of the axis "topology" follow from the files of its folder."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "src/machine"))
from generate_topology_words import main, topology_words  # noqa: E402

FOLDER = ROOT / "src/machine/topologies"


def folder_with(path, **codes):
    for name, code in codes.items():
        (path / f"{name}.cpp").write_text(f"const Topology {name}{{.name = \"{name}\"{code}}};\n")
    return path


def test_codes_of_result_files_are_those_of_schema_1_4():
    assert topology_words(FOLDER)[:11] == ["cluster", "dragonfly", "dragonfly_plus", "dual_plane", "fat_tree", "fat_tree_3",
                                           "meshed_nodes", "rail_only", "rail_optimized", "single_switch", "torus"]


def test_a_file_without_a_code_is_no_word(tmp_path):
    assert topology_words(folder_with(tmp_path, given="", ring=", .code = 1")) == ["cluster", "ring"]


@pytest.mark.parametrize("codes, problem", [
    ({"one": ", .code = 1", "two": ", .code = 1"}, "code 1 is that of one"),
    ({"one": ", .code = 0"}, "code 0 is that of cluster"),
    ({"one": ", .code = 2"}, "no topology has code 1")])
def test_codes_are_each_once_and_without_gaps(tmp_path, capsys, codes, problem):
    assert main(folder_with(tmp_path, **codes), tmp_path / "out.hpp") == 1
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "out.hpp").exists()
