"""The column generator refuses bad schemas, and the compiler a schema that does not match src/results/write/fill.hpp."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GENERATOR = ROOT / "hdf5_schemas/generate_columns.py"
SCHEMA = (ROOT / "hdf5_schemas/results_v1.toml").read_text()
EXTRA = '\n[[column]]\nname = "extra"\ntype = "i4"\nrole = "metric"\nunits = "1"\nlong_name = "x"\ndescription = "x"\n'


def generate(tmp_path, text):
    (tmp_path / "schema.toml").write_text(text)
    command = [sys.executable, "-B", GENERATOR, tmp_path / "schema.toml", tmp_path / "out.cpp"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("text, problem", [
    (SCHEMA + EXTRA.replace('units = "1"\n', ""), "has no units"),
    (SCHEMA + EXTRA.replace("i4", "float"), "type must be one of"),
    (SCHEMA + EXTRA.replace("metric", "other"), "role must be one of"),
    (SCHEMA + EXTRA + "unit = 1\n", "unknown key unit"),
    (SCHEMA + EXTRA.replace("extra", "tp"), "stands twice"),
    (SCHEMA.replace('axis = "tp"', 'axis = "tensor"'), "has an unknown key axis"),
    (SCHEMA + EXTRA.replace("i4", "i1") + 'names = ["two words"]\n', "holds a blank"),
    (SCHEMA + EXTRA.replace("i4", "i1") + 'names = "ops::nobody"\n', "names must be a list, or one of"),
    (SCHEMA + '\n[[group]]\nname = "more"\n', 'group "more" must have description and name'),
])
def test_bad_schemas_are_refused(tmp_path, text, problem):
    result = generate(tmp_path, text)
    assert result.returncode == 1 and problem in result.stderr
    assert not (tmp_path / "out.cpp").exists()


@pytest.mark.parametrize("text, complaint", [
    (SCHEMA, None),
    (SCHEMA + EXTRA, "no line in results/write/fill.hpp fills 'extra'"),
    (SCHEMA.replace('name = "microbatches"', 'name = "microbatch"'), "no line in results/write/fill.hpp fills 'microbatch'"),
    (SCHEMA.replace('[[column]]\naxis = "tp"\n', ""), "fills no column of the schema"),
    (SCHEMA[:SCHEMA.index('[[column]]\nname = "breakdown/mem"')] + SCHEMA[SCHEMA.index("[[group]]"):],
     "fills no column of the schema"),
])
def test_schema_and_fillers_are_held_together_by_the_compiler(tmp_path, text, complaint):
    assert generate(tmp_path, text).returncode == 0
    compiler = shutil.which("c++")
    assert compiler, "no C++ compiler"
    subprocess.run([sys.executable, "-B", ROOT / "src/training/generate_axes.py", ROOT / "src/training/axes.toml", tmp_path],
                   check=True)
    subprocess.run([sys.executable, "-B", ROOT / "src/machine/generate_topology_words.py",
                    ROOT / "src/machine/topologies", tmp_path / "machine/topology_words.hpp"], check=True)
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT}/src", f"-I{tmp_path}", tmp_path / "out.cpp"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode == 0) == (complaint is None), result.stderr
    assert complaint is None or complaint in result.stderr
