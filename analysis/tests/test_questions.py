"""The scripts of analysis/questions on files of the program: they answer, and their answers are right."""

import doctest
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import ANALYSIS

import echo_sweep as es


def ask(script, *words):
    done = subprocess.run([sys.executable, "-B", ANALYSIS / "questions" / script, *map(str, words)],
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ANALYSIS)})
    return done.returncode, done.stdout + done.stderr


def test_the_fewest_gpus_are_in_time_and_one_size_less_is_not(result, tmp_path):
    picture = tmp_path / "gpus.png"
    rows = es.open(result).where("model == 'llama2-7b'").ranked
    days = 1e12 / rows.column("tokens_per_s") / 86400
    best = {(c, g): days[(rows.column("cluster") == c) & (rows.column("gpus") == g)].min()
            for c, g in set(zip(rows.column("cluster"), rows.column("gpus")))}
    slow, fast = best["dgx-h100-ndr400", 16], best["dgx-h100-ndr400", 32]
    code, text = ask("fewest_gpus_for_deadline.py", result, "--where", "model == 'llama2-7b'",
                     "--tokens", "1 T tokens", "--deadline", f"{(slow + fast) / 2} d", "--picture", picture)
    assert code == 0, text
    line = next(line for line in text.splitlines() if line.startswith("dgx-h100-ndr400"))
    assert line.split()[1] == "32" and float(line.split()[-1]) == pytest.approx(fast, rel=1e-3)
    assert "dgx-a100-hdr200: not in time" in text
    assert 0 < picture.stat().st_size < 80_000
    _, text = ask("fewest_gpus_for_deadline.py", result, "--where", "model == 'llama2-7b'", "--deadline", "10000 d",
                  "--tokens", "1 T tokens")
    assert {line.split()[1] for line in text.splitlines() if line.startswith("dgx")} == {"16"}


def test_the_tax_of_overlap_is_that_of_the_winners(result, tmp_path):
    picture = tmp_path / "tax.png"
    code, text = ask("overlap_tax.py", result, "--picture", picture)
    assert code == 0, text
    found = es.open(result).without_slowdown()
    line = text.splitlines()[1].split()
    assert line[1] == str(found.slices) and line[3] == f"{max(found.winners['tax']):.1%}" and line[4] == str(found.another_wins)
    assert 0 < picture.stat().st_size < 80_000


def test_no_label_of_the_picture_hides_another(result, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ANALYSIS / "questions"))
    import fewest_gpus_for_deadline as question
    from echo_sweep.plots.style import text_boxes

    rows = es.open(result).where("model == 'llama2-7b'").derive("train_days", "1 T tokens / tokens_per_s / 86400", "d", "min")
    steps = sorted(rows.ranked.column("train_days"))
    # At the end all clusters have one winner at the same number of GPUs; of equal rows the labels would be on each other.
    for days in (steps[0] * 1.01, steps[len(steps) // 2], steps[-1] * 1.01, steps[-1] * 10):
        for per in ("cluster", "tp", "recompute"):
            axes = question.picture(rows, per, days, tmp_path / "picture.png")
            boxes = text_boxes(axes)
            assert len(boxes) > 4
            for i, one in enumerate(boxes):
                assert not any(one.overlaps(other) for other in boxes[i + 1:]), (days, per)


def test_the_layout_named_first_is_the_best(result, tmp_path):
    code, text = ask("which_layout.py", result, "--n", 3, "--picture", tmp_path / "layout.png")
    assert code == 0, text
    assert text.splitlines()[1].startswith(es.open(result).best(1)[0].id[:8])
    assert (tmp_path / "layout.png").stat().st_size > 0


def test_the_layouts_are_those_that_top_ranks(result, run_program):
    """One by one, with rows in the file that are faster and may not fit."""
    rows = es.open(result)
    assert len(rows.doubtful) > 0
    ranked = json.loads(run_program("top", result, "-n", 10_000, "--json"))["rows"]
    wanted, seen = [], set()
    for row in ranked:
        if (row["tp"], row["pp"]) not in seen:
            seen.add((row["tp"], row["pp"]))
            wanted.append(row["config_id"][:8])
    code, text = ask("which_layout.py", result, "--n", 3)
    assert code == 0, text
    assert [line.split()[0][:8] for line in text.splitlines()[1:4]] == wanted[:3]
    cube = rows.cube(rows.ranking_metric(), ["tp", "pp"])
    best = rows.best(1, by=rows.ranking_metric(), per=["tp", "pp"])
    assert sorted(cube.values[~np.isnan(cube.values)]) == sorted(best.column(rows.ranking_metric()))


def test_where_time_goes_adds_up(result, tmp_path):
    code, text = ask("where_does_time_go.py", result, "--per", "tp,pp", "--picture", tmp_path / "time.png")
    assert code == 0, text
    shares = [float(word) for word in text.splitlines()[0].replace(",", "").split() if word.count(".") == 1][1:]
    assert 96 <= sum(shares) <= 100.5
    assert (tmp_path / "time.png").stat().st_size > 0


def test_the_readme_s_example_runs(run_program, tmp_path, monkeypatch):
    """Its outputs are those of the day it was written; prices change them."""
    monkeypatch.chdir(tmp_path)
    run_program("run", ANALYSIS.parent / "sweeps/gpt3-175b-96xh800.toml", "-o", "gpt3-175b-96xh800.h5", "-q")
    examples = doctest.DocTestParser().get_examples((ANALYSIS / "README.md").read_text())
    assert len(examples) > 10
    names = {}
    for example in examples:
        exec(example.source, names)
    assert names["best"].id in set(names["s"].ids()) and names["axes"].images


def test_no_feasible_config_is_said(result):
    code, text = ask("which_layout.py", result, "--where", "tp == 7")
    assert code == 1 and "no feasible config where tp == 7" in text


def test_a_wrong_option_is_answered_on_one_line(result, tmp_path):
    for words in ([tmp_path / "none.h5"], [result, "--where", "tp ="], [result, "--deadline", "30 days"],
                  [result, "--per", "clusters"], [result, "--tokens", ""]):
        code, text = ask("fewest_gpus_for_deadline.py", *words)
        assert code == 2 and len(text.splitlines()) == 1, text


def test_the_power_of_every_measured_job_is_within_15_percent(run_program, tmp_path):
    """Six jobs whose power and step MLPerf publishes; constants of power were chosen before these were looked at."""
    run_program("run", ANALYSIS.parent / "sweeps/published/energies.toml", "-o", tmp_path / "energies.h5", "--progress", "none",
                "-q")
    code, text = ask("energies.py", tmp_path / "energies.h5")
    assert code == 0, text
    rows = [line.split() for line in text.splitlines() if " measured " in line]
    assert len(rows) == 6
    for row in rows:
        power, energy = (float(row[i]) for i in (-4, -2))
        assert abs(power) < 15 and abs(energy) < 15, " ".join(row)
    code, text = ask("energies.py", tmp_path / "missing.h5")
    assert code != 0


def test_layouts_change_places_where_their_order_differs():
    sys.path.insert(0, str(ANALYSIS / "questions"))
    import roce_or_infiniband as question

    reference = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert question.changed_places(reference, reference) == 0
    assert question.changed_places({"a": 2.0, "b": 1.0, "c": 3.0}, reference) == 1
    assert question.changed_places({"a": 3.0, "b": 2.0, "c": 1.0}, reference) == 3
    assert question.changed_places({"a": 2.0, "c": 1.0}, reference) == 1, "only layouts of both"
