"""The package as a user installs it: pip, a fresh virtual environment, and a folder that is not this one.

Without network: Debian's h5py and numpy shine through, and nothing is fetched. ECHO_SWEEP_FROM_PYPI=1 fetches every
dependency in its newest version instead, which takes a minute.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import venv

from conftest import ANALYSIS

import echo_sweep as es

USE = """
import sys, echo_sweep, xarray, numpy
assert echo_sweep.__file__.startswith(sys.prefix), echo_sweep.__file__
sweep = echo_sweep.open(sys.argv[1])
with xarray.open_dataset(sys.argv[1], engine="netcdf4") as dataset:
    numpy.testing.assert_array_equal(dataset["step_time"], sweep.column("step_time"))
    assert list(dataset["step_time"].dims) == ["config"] and "tp" in dataset.coords
print(sweep.top(3).to_string())
import importlib.metadata
assert importlib.metadata.version("echo-sweep") == echo_sweep.__version__
print(len(sweep), sweep.best(1)[0].id)
"""


def test_pip_installs_it_into_a_fresh_environment(result, tmp_path, capsys):
    from_pypi = os.environ.get("ECHO_SWEEP_FROM_PYPI") == "1"
    venv.create(tmp_path / "venv", system_site_packages=not from_pypi, with_pip=True)
    python = tmp_path / "venv/bin/python"
    source = shutil.copytree(ANALYSIS, tmp_path / "source", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    how = ["--no-index", "--no-build-isolation", "--no-deps", str(source)] if not from_pypi else [f"{source}[all]"]
    with capsys.disabled():
        print(f"\n[pip install {'from PyPI, newest versions' if from_pypi else ' '.join(how[:-1])}]", flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*words):
        done = subprocess.run([python, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *how)
    told = run("-W", "ignore", "-c", USE, result)
    best = es.open(result).best(1)[0].id
    assert told.splitlines()[-1] == f"{len(es.open(result))} {best}"
    assert run("-m", "echo_sweep", "top", result, "-n", "1").splitlines()[1].startswith(best[:8])
    told = subprocess.run([tmp_path / "venv/bin/echo-trace", "compare", "no.jsonl", "no.jsonl"], capture_output=True, text=True)
    assert told.returncode == 2 and told.stderr.startswith("echo-trace: cannot read no.jsonl"), told.stderr
    if importlib.util.find_spec("plotly"):
        run("-m", "echo_sweep", "report", result, "-o", "report.html")
        assert "Content-Security-Policy" in (tmp_path / "report.html").read_text()
    csv = run("-m", "echo_sweep", "export", result, "--columns", "config_id,tp", "--where", "tp == 8").splitlines()
    assert csv[0] == "config_id,tp" and len(csv) == 1 + len(es.open(result).where("tp == 8"))


def test_a_wrong_question_is_answered_on_one_line(result, tmp_path):
    (tmp_path / "no.h5").write_text("no")
    for words in (["top", tmp_path / "no.h5"], ["top", result, "--by", "speed"], ["export", result, "--where", "tp ="]):
        command = [sys.executable, "-B", "-m", "echo_sweep", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ANALYSIS)
        assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1, done.stderr


def test_one_version_for_program_and_package(run_program):
    program = re.search(r"project\(echo-sweep VERSION ([\d.]+)", (ANALYSIS.parent / "CMakeLists.txt").read_text())[1]
    assert es.__version__ == program
    assert json.loads(run_program("version", "--json"))["version"] == program
