"""The notebook runs from its first cell to its decision, and holds no outputs that could grow old."""

import json

from conftest import ANALYSIS, find_program

import echo_sweep as es

TOUR = json.loads((ANALYSIS / "tour.ipynb").read_text())
CODE = [cell for cell in TOUR["cells"] if cell["cell_type"] == "code"]


def test_it_has_ten_cells_without_outputs_each_under_a_heading():
    assert len(CODE) == 10 and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in CODE)
    headings = ["".join(cell["source"]).splitlines()[0] for cell in TOUR["cells"] if cell["cell_type"] == "markdown"]
    assert [heading.split(". ")[0] for heading in headings[1:]] == [f"## {number}" for number in range(1, 11)]


def test_it_reaches_a_decision_that_the_rows_bear_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECHO_SWEEP", find_program())
    names = {}
    for number, cell in enumerate(CODE, 1):
        exec(compile("".join(cell["source"]), f"tour.ipynb, cell {number}", "exec"), names)
    assert capsys.readouterr().out.strip() == names["decision"]
    chosen, deadline = names["chosen"], names["deadline"]
    assert chosen is not None and chosen.id in es.open("tour.h5").ids()
    rows = es.open("tour.h5").ranked
    late, sizes = 1e12 / rows.column("tokens_per_s") / 86400 * rows.column("step_time_p90") / rows.column("step_time"), rows.column("gpus")
    assert late[rows.ids() == chosen.id][0] <= deadline
    assert not (late[sizes < chosen["gpus"]] <= deadline).any()
    assert (sizes < chosen["gpus"]).any() and names["heatmap"].has_data()
