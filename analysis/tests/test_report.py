"""The report of a result file: its numbers are those of the package, its page is whole by itself, and names stay text.

What a browser makes of the page is tested in browser/page_check.py (slow tier)."""

import base64
import html.parser
import itertools
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import ANALYSIS, find_program

import echo_sweep as es
from echo_sweep import effects, without_slowdown
from echo_sweep.report import chosen, facts, page, program, rows

PLOTLY_LIMIT = 9_000_000  # bytes of Debian's plotly.js; that of PyPI is half as long
NASTY = "</script><script>alert('1')</script> \"quoted\" & <b>bold</b>"


@pytest.fixture(scope="session")
def made():
    """made(path) -> the facts of a report, as the page holds them."""

    def make(path, with_program=True):
        with es.open(path) as sweep:
            asked = program.Program(find_program() if with_program else None, str(path))
            return json.loads(page.json_for_page(facts.Report(sweep, asked).facts()))

    return make


@pytest.fixture(scope="session")
def told(made, result):
    return made(result)


class Page(html.parser.HTMLParser):
    """What a page holds: its tags with their attributes, and the text of its scripts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self.title, self._in = [], [], "", None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._in = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._in = None

    def handle_data(self, data):
        if self._in == "script":
            self.scripts[-1] += data
        elif self._in == "title":
            self.title += data


def decoded(told, name):
    """The values of a column on the page."""
    column = next(one for one in told["rows"]["columns"] if one["name"] == name)
    if "same" in column:
        values = np.full(told["rows"]["count"], np.nan if column["same"] is None else column["same"])
    else:
        kind = {"u1": "u1", "i2": "<i2", "i4": "<i4", "f4": "<f4", "f8": "<f8"}[column["type"]]
        values = np.frombuffer(base64.b64decode(column["data"]), dtype=kind)
    return np.array(column["words"], dtype=object)[values.astype(int)] if "words" in column else values


def ids_of(told):
    raw = base64.b64decode(told["rows"]["ids"])
    return [raw[i:i + 8].hex() for i in range(0, len(raw), 8)]


# --- numbers
def test_the_answer_is_that_of_the_package(told, result):
    with es.open(result) as sweep:
        ids = ids_of(told)
        assert len(told["models"]) == 2
        for model in told["models"]:
            where = f"model == '{model['name']}'"
            some = sweep.where(where)
            best = some.best(1, keep_order=False)
            assert ids[model["best"]] == best[0].id
            ties = some.ties(keep_order=False)
            assert model["ties"]["count"] == len(ties["config_id"])
            for one, row, chance in zip(model["ties"]["rows"], ties["config_id"], ties["first_is_better"]):
                assert ids[one["row"]] == row
                assert one["first_is_better"] == pytest.approx(chance, rel=1e-12)
            luck = some.without_luck(keep_order=False)
            assert model["luck"]["share"] == pytest.approx(luck.share, rel=1e-12)
            counts = {status: int(np.sum(some.column("status") == word))
                      for status, word in (("feasible", "ok"), ("infeasible", "infeasible"), ("failed", "failed"))}
            assert {name: model["counts"][name] for name in counts} == counts
            assert model["counts"]["ranked"] == len(some.ranked)
            assert model["counts"]["doubtful"] == len(some.doubtful)


def test_the_front_is_that_of_the_package(told, result):
    with es.open(result) as sweep:
        for model in told["models"]:
            some = sweep.where(f"model == '{model['name']}'")
            front = model["front"]
            table = some.pareto(front["goals"], robust=True)
            found = [(ids_of(told)[one["row"]], one["standing"]) for one in front["points"]]
            assert found == list(zip(table["config_id"], table["standing"]))


def test_levers_and_overlap_are_those_of_the_package(told, result):
    with es.open(result) as sweep:
        for model in told["models"]:
            some = sweep.where(f"model == '{model['name']}'")
            effects_of = some.main_effects(told["metric"])
            for one in model["levers"]:
                assert one["share"] == pytest.approx(effects_of[one["axis"]], rel=1e-12)
            said = some.without_slowdown()
            assert (model["overlap"]["slices"], model["overlap"]["another"]) == (said.slices, said.another_wins)
            assert sum(model["tax"]["counts"]) == len(some.ranked)


def test_the_funnel_adds_up(told):
    for model in told["models"]:
        counts = model["counts"]
        rows_of_model = sum(counts[name] for name in facts.STATUSES)
        assert rows_of_model - sum(one["rows"] for one in model["funnel"]) == counts["ranked"]
    assert told["plan"]["points"] == told["points"] or told["plan"]["points"]["low"] <= told["points"]


def test_the_page_holds_the_rows_of_the_file(told, result):
    with es.open(result) as sweep:
        assert ids_of(told) == list(sweep.ids())
        for name in ("tp", "status", "recompute", "gpus", "step_time", "mem_peak"):
            values, stored = decoded(told, name), sweep.column(name)
            if stored.dtype.kind == "f":
                np.testing.assert_array_equal(values.astype("f4"), stored.astype("f4"))
            else:
                assert list(values) == list(stored)
        for kind in ("exposed_time", "mem"):
            part = told["rows"]["parts"][kind]
            table = np.frombuffer(base64.b64decode(part["data"]), "<f4").reshape(len(sweep), -1)
            whole = "step_time" if kind == "exposed_time" else "mem_peak"
            kept = np.isfinite(sweep.column(whole))
            np.testing.assert_allclose(table[kept].sum(axis=1), sweep.column(whole)[kept], rtol=1e-5)


def test_a_row_of_the_page_is_simulated_again(told, result, run_program, tmp_path):
    """The sweep of one point that the page shows has the row's own config_id."""
    said = told["row_sweep"]
    assert not said["unwritten"] and "tp" in said["keys"]
    columns = {one["name"]: one for one in told["rows"]["columns"]}
    for row in (0, told["models"][0]["best"], told["models"][1]["best"], told["rows"]["count"] - 1):
        lines = []
        for name in said["keys"]:
            value = decoded(told, name)[row]
            words = columns[name].get("words")
            lines.append(f"{name} = {columns[name]['toml'][words.index(value)] if words else int(value)}")
        (tmp_path / "one.toml").write_text(said["head"] + "\n\n[space]\n" + "\n".join(lines) + "\n")
        run_program("run", tmp_path / "one.toml", "-o", tmp_path / "one.h5", "--fresh", "--progress", "none")
        with es.open(tmp_path / "one.h5") as again:
            assert list(again.ids()) == [ids_of(told)[row]]


def test_launch_files_are_those_of_the_best_rows(told, result):
    assert told["launches"]["problem"] == ""
    assert told["launches"]["rows"].keys() == told["timelines"]["rows"].keys()
    file, ids = told["file"], ids_of(told)
    for place, text in told["launches"]["rows"].items():
        assert text.startswith(f"#!/bin/bash\n# row {ids[int(place)]} of {file}, for Megatron-LM ")
        assert "--micro-batch-size" in text


def test_timelines_end_with_the_step(told, result):
    with es.open(result) as sweep:
        assert told["timelines"]["problem"] == ""
        assert len(told["timelines"]["rows"]) >= 2
        for place, timeline in told["timelines"]["rows"].items():
            row = sweep[ids_of(told)[int(place)]]
            assert timeline["tracks"] == [f"stage {i}" for i in range(row["pp"])]
            ends = np.frombuffer(base64.b64decode(timeline["end"]["data"]), "<f4")
            assert ends.max() == pytest.approx(row["step_time"] * 1e6, rel=1e-6)


# --- fast paths and their slow twins
def test_ties_are_found_near_the_best_alone(result, monkeypatch):
    with es.open(result) as sweep:
        for metric in ("step_time", "tokens_per_s_per_gpu", "mem_peak"):
            found = rows.ModelRows(sweep, "all", metric)
            slow = sweep.ties(metric, keep_order=False)
            assert list(found.tied[0].ids()) == list(slow["config_id"])
            assert len(found.judged[0]) < len(found.ranked)


@pytest.mark.parametrize("seed", range(20))
def test_slices_are_numbered_as_numpy_numbers_whole_rows(seed, result):
    rng = np.random.default_rng(seed)
    with es.open(result) as sweep:
        some = sweep.view(rng.permutation(len(sweep))[:200])
        names = list(rng.permutation([name for name in sweep.varying() if name != "global_batch_tokens"])[:4])
        slow = np.column_stack([np.unique(some.column(name), return_inverse=True)[1] for name in names])
        expected = np.unique(slow, axis=0, return_inverse=True)[1].reshape(-1)
        np.testing.assert_array_equal(without_slowdown.slices_of(some, names), expected)


@pytest.mark.parametrize("seed", range(20))
def test_a_main_effect_is_that_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-2 if seed % 2 else 0, 6, 300).astype("i4")
    values = rng.normal(size=300)
    means = np.array([values[codes == code].mean() for code in codes])
    assert effects.main_effect(codes, values) == pytest.approx(np.var(means) / np.var(values), rel=1e-9)


def test_of_a_large_file_every_cell_has_its_best_row_on_the_page(result, monkeypatch):
    """The choice of rows against a search by hand through all pairs of values."""
    for module in (chosen, facts):
        monkeypatch.setattr(module, "MOST", 60)
    monkeypatch.setattr(chosen, "BEST", 5)
    with es.open(result) as sweep:
        report = facts.Report(sweep, program.Program(None, str(result)))
        on_page = set(report._page.places().tolist())
        assert len(on_page) < len(sweep) / 2
        for model, axes in zip(report._models, report._axes):
            view = model.all
            cost = view.column("step_time") if model.goal == "min" else -view.column(model.metric)
            ranked = (view.column("status") == "ok") & view.fits()
            for x, y in itertools.combinations(axes["axes"], 2):
                keys = list(zip(view.column(x), view.column(y)))
                for key in set(keys):
                    here = np.array([one == key for one in keys])
                    assert any(row in on_page for row in view.places()[here]), (x, y, key)
                    if (here & ranked).any():
                        best = np.flatnonzero(here & ranked)
                        assert view.places()[best[np.argmin(cost[best])]] in on_page, (x, y, key)
            front = sweep.view(view.places()).front(facts.front_metrics(model))
            assert set(front.places().tolist()) <= on_page


# --- the page
@pytest.fixture(scope="session")
def parsed(told):
    pytest.importorskip("plotly")
    text = page.page_of(told)
    return text, Page(text)


def test_the_page_is_whole_by_itself(parsed):
    text, found = parsed
    assert len(text.encode()) < PLOTLY_LIMIT + 1_500_000
    for tag, attributes in found.tags:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            if name in attributes:
                assert attributes[name].startswith(("#", "data:")), (tag, attributes)
    assert not {"iframe", "object", "embed", "base"} & {tag for tag, _ in found.tags}
    policy = next(a["content"] for tag, a in found.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "http" not in policy and "connect-src" not in policy
    own = "\n".join((page.ASSETS / name).read_text() for name in page.SCRIPTS) + (page.ASSETS / "page.css").read_text()
    for word in ("http:", "https:", "fetch(", "XMLHttpRequest", "innerHTML", "@import", "url("):
        assert word not in own, word


def test_fields_and_regions_are_named(parsed):
    _, found = parsed
    labels = {a["for"] for tag, a in found.tags if tag == "label"}
    for tag, attributes in found.tags:
        if tag in ("input", "select"):
            assert attributes["id"] in labels
    assert ("html", {"lang": "en", "data-theme": "auto"}) in found.tags


def test_names_stay_text(synthetic, made):
    pytest.importorskip("plotly")
    path = synthetic(attributes={"title": NASTY, "name": NASTY})
    facts_of = made(path, with_program=False)
    assert facts_of["title"] == NASTY
    text = page.page_of(facts_of)
    found = Page(text)
    assert found.title == NASTY
    assert len(found.scripts) == 3
    assert json.loads(found.scripts[0])["title"] == NASTY
    assert "alert('1')</script>" not in text


def test_what_the_program_would_know_is_said_to_be_missing(synthetic, made):
    found = made(synthetic(), with_program=False)
    for what in (found["plan_problem"], found["kernels_problem"], found["timelines"]["problem"]):
        assert "echo-sweep was not found" in what


ONE = '[space]\nmodel = "llama3-8b"\ncluster = "dgx-h100-ndr400"\nrecipe = "nvidia-performance"\ngpus = 16\ntp = 2\npp = 1\nglobal_batch = 128\n'


def test_one_row(swept, made):
    found = made(swept(ONE, "one_row"))
    model, = found["models"]
    assert found["rows"]["count"] == 1 and model["best"] == 0
    assert model["ties"]["count"] == 1 and model["levers"] == [] and model["slices"] == []


def test_no_row_is_feasible(swept, made):
    found = made(swept(ONE.replace('"llama3-8b"', '"llama3-405b"').replace("tp = 2", "tp = [1, 2]"), "none_fits"))
    model, = found["models"]
    assert model["best"] is None and model["counts"]["ranked"] == 0
    assert [(one["kind"], one["rows"]) for one in model["funnel"]] == [("memory", 2)]
    assert len(model["nearest"]) == 2


def test_an_interrupted_sweep_says_so(synthetic, made):
    found = made(synthetic(attributes={"state": "partial", "n_total": 60}), with_program=False)
    assert found["notices"][0].startswith("Interrupted or still running: 10.0 % of 60 points")


# --- the commands
def report_with(environment, *words):
    known = {**os.environ, "PYTHONPATH": "", **environment}
    return subprocess.run([find_program(), "report", *map(str, words)], capture_output=True, text=True, env=known)


def facts_of_page(path):
    found = json.loads(Page(path.read_text()).scripts[0])
    found.pop("written")
    return found


def test_both_commands_write_the_same_page(result, tmp_path):
    pytest.importorskip("plotly")
    done = report_with({"ECHO_PYTHON": sys.executable}, result, "-o", tmp_path / "a.html")
    assert done.returncode == 0, done.stderr
    assert "opens in any browser" in done.stdout
    done = subprocess.run([sys.executable, "-m", "echo_sweep", "report", result, "-o", tmp_path / "b.html"], cwd=ANALYSIS,
                          env={**os.environ, "ECHO_SWEEP": find_program()}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert facts_of_page(tmp_path / "a.html") == facts_of_page(tmp_path / "b.html")


@pytest.mark.parametrize("environment, what", [
    ({"ECHO_PYTHON": "/nowhere/python3"}, "/nowhere/python3 cannot be started"),
    ({"ECHO_PYTHON": "stand-in"}, "has no h5py, numpy, plotly"),
])
def test_what_is_missing_is_said(result, tmp_path, environment, what):
    """An interpreter that is not there, and one without packages."""
    if environment["ECHO_PYTHON"] == "stand-in":
        (tmp_path / "python3").write_text(f'#!/bin/sh\nexec {shutil.which("python3", path="/usr/bin:/bin")} -I -S "$@"\n')
        (tmp_path / "python3").chmod(0o755)
        environment = {"ECHO_PYTHON": str(tmp_path / "python3")}
    done = report_with(environment, result, "-o", tmp_path / "never.html")
    assert done.returncode == 2 and what in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "never.html").exists()


def test_mistakes_are_said_in_a_line(tmp_path):
    (tmp_path / "killed.h5.journal").mkdir()
    (tmp_path / "no.h5").write_text("no")
    for file, what in (("absent.h5", "absent.h5: No such file"), ("killed.h5", "rows of an interrupted sweep"), ("no.h5", "no.h5")):
        done = report_with({"ECHO_PYTHON": sys.executable}, tmp_path / file, "-o", tmp_path / "never.html")
        assert done.returncode == 2 and what in done.stderr, (done.returncode, done.stderr)
        assert "Traceback" not in done.stderr and not (tmp_path / "never.html").exists()
