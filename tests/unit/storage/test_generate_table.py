"""The generator of tables refuses bad schemas, and takes columns from another schema in their place."""

import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "hdf5_schemas"
SCHEMA = (FOLDER / "overlap_v1.toml").read_text()
EXTRA = '\n[[column]]\nname = "extra"\ntype = "i4"\nrole = "metric"\nunits = "1"\nlong_name = "x"\ndescription = "x"\n'


def generate(tmp_path, text):
    (tmp_path / "profile_v1.toml").write_text((FOLDER / "profile_v1.toml").read_text())
    (tmp_path / "overlap_v1.toml").write_text(text)
    command = [sys.executable, "-B", FOLDER / "generate_table.py", tmp_path / "overlap_v1.toml", tmp_path / "out.cpp"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("text, problem", [
    (SCHEMA + EXTRA.replace('units = "1"\n', ""), "has no units"),
    (SCHEMA + EXTRA.replace("i4", "float"), "type must be one of"),
    (SCHEMA + EXTRA.replace("metric", "other"), "role must be one of"),
    (SCHEMA + EXTRA + "unit = 1\n", "unknown key unit"),
    (SCHEMA + EXTRA.replace("extra", "alone"), "stands twice"),
    (SCHEMA + EXTRA.replace("extra", "routing_tuned"), "stands twice"),
    (SCHEMA + EXTRA.replace("i4", "i1") + 'names = ["two words"]\n', "holds a blank"),
    (SCHEMA + EXTRA + 'names = ["no", "yes"]\n', "coded columns are i1"),
    (SCHEMA + EXTRA + 'index = "gpus"\n', "index must name a group"),
    (SCHEMA + '\n[[group]]\nname = "more"\n', 'group "more" must have'),
    (SCHEMA.replace("most_rows", "rows"), "the schema must have"),
])
def test_bad_schemas_are_refused(tmp_path, text, problem):
    result = generate(tmp_path, text)
    assert result.returncode == 1 and problem in result.stderr
    assert not (tmp_path / "out.cpp").exists()


def test_columns_of_another_schema_stand_in_their_place(tmp_path):
    assert generate(tmp_path, SCHEMA).returncode == 0
    names = re.findall(r'^    \{"(\w+)", ElementType', (tmp_path / "out.cpp").read_text(), re.M)
    assert names[:5] == ["row", "kernel_name", "has_shape", "gpu", "kind"]
    assert names[names.index("routing_tuned") + 1] == "compute_throughput"
