"""Break-even surfaces, from the program's JSON to the picture."""

import json
import math

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

import echo_sweep as es
from echo_sweep.plots.surface import letters_of

SWEEP = """
[space]
model = "llama2-7b"
cluster = ["dgx-h100-ndr400", "dgx-h200"]
global_batch = 64
gpus = 16
tp = [1, 2, 4]
recompute = "full"
"""


@pytest.fixture(scope="module")
def found(run_program, tmp_path_factory):
    sweep = tmp_path_factory.mktemp("surface") / "s.toml"
    sweep.write_text(SWEEP)
    return run_program("break-even", sweep, "--x", "nic_rate=x0.25,x1", "--y", "gpus.h200-sxm.flops=x0.5,x0.9,x1.5",
                       "--json")


def test_cells_are_those_of_the_program(found, tmp_path):
    data = json.loads(found)
    (tmp_path / "surface.json").write_text(found)
    surface = es.break_even(tmp_path / "surface.json")
    assert surface.data == data == es.break_even(found).data == es.break_even(data).data
    assert surface.cell(1, 2) == surface.cells[5] and surface.cell(1, 2).y == "x1.5"
    assert surface.cell(0, 0).winner == "cluster=dgx-h100-ndr400"
    assert surface.cell(0, 2).winner == "cluster=dgx-h200"
    assert surface.cell(0, 0).gap == data["cells"][0]["gap"] > 0


def test_the_picture_has_a_letter_and_a_colour_for_each_winner(found):
    surface = es.break_even(found)
    axes = surface.plot()
    texts = [text.get_text() for text in axes.texts]
    letters = letters_of(surface.kinds)
    assert [text[0] for text in texts] == [letters[cell.winner] for cell in surface.cells]
    assert [text.get_text() for text in axes.get_xticklabels()] == surface.x["values"]
    hatched = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_hatch()]
    assert len(hatched) == sum(cell.is_tie for cell in surface.cells)
    places = [one for one in surface.boundaries if one["place"] is not None]
    assert places and len(axes.lines) == len(places)
    for line in axes.lines:  # every boundary of this surface is between two rows
        low, high = line.get_ydata()
        assert low == high and 0 < low < 2 and not math.isclose(low, np.round(low))
    plt.close("all")
