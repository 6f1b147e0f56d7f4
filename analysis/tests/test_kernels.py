"""Pictures of measured kernels, from the rows that the program writes of made-up tables."""

import csv
import subprocess
import sys

import numpy as np
import pytest
from conftest import ANALYSIS, is_light_and_the_same_each_time
from matplotlib import pyplot as plt

from echo_sweep.kernel_rows import KernelRows
from echo_sweep.plots import kernels


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def rows_file(run_program, tmp_path_factory):
    """Products of both widths, attention and a training table; times made up."""
    folder = tmp_path_factory.mktemp("kernels")
    sizes = [256 * 2**i for i in range(7)]
    products = [f"h100-sxm,sglang,{dtype},{m},{n},4096,{2e-5 + m * n * 4096 / 3e8:.6f}"
                for dtype in ("bfloat16", "fp8") for m in sizes for n in sizes]
    attention = [f"h100-sxm,sglang,bfloat16,1,{seq},32,8,128,{20 + seq * seq * 32 / 2e6:.6f}" for seq in sizes]
    training = ['b200-sxm,matmul,2250.0,0.5,"b=1, m=4096, k=8192, n=8192, layout=NN, accumulate=False"']
    (folder / "gemm.csv").write_text("\n".join(["gpu,library,dtype,m,n,k,latency_us", *products, ""]))
    (folder / "attention.csv").write_text("\n".join([
        "gpu,library,dtype,batch_size,seq_len,num_heads,num_key_value_heads,head_dim,latency_us", *attention, ""]))
    (folder / "training.csv").write_text("\n".join(["gpu,op,peak_tflops,efficiency,description", *training, ""]))
    run_program("validate", *sorted(folder.glob("*.csv")), "--csv", folder / "rows.txt")
    return folder / "rows.txt"


def test_rows_keep_their_times_and_efficiencies_become_times(rows_file):
    rows = KernelRows(rows_file)
    with open(rows_file, newline="") as file:
        told = list(csv.DictReader(file))
    assert len(rows) == len(told) == 2 * 49 + 7 + 1
    np.testing.assert_allclose(rows.measured, [float(row["seconds"]) for row in told])
    for i, row in enumerate(told):
        in_seconds = row["quantity"] == "seconds"
        ratio = float(row["predicted"]) / float(row["measured"])
        assert rows.ratio[i] == pytest.approx(ratio if in_seconds else 1 / ratio, rel=1e-4)
    efficiency = next(row for row in told if row["quantity"] == "efficiency")
    assert float(efficiency["seconds"]) == pytest.approx(2 * 4096 * 8192 * 8192 / (2250e12 * 0.5), rel=1e-5)


def test_mechanisms_stand_apart_and_only_claimed_shapes_are_counted(rows_file):
    rows = KernelRows(rows_file)
    counts = {name: len(part) for name, part in rows.where(rows.claimed).by_mechanism().items()}
    assert counts == {"16-bit products": 36 + 1, "8-bit products": 36, "attention forward": 4}


def test_pictures_are_light_and_the_same_for_the_same_rows(rows_file, tmp_path):
    rows = KernelRows(rows_file)
    for draw in (kernels.scatter, kernels.residuals):
        is_light_and_the_same_each_time(lambda: draw(rows), kernels.save, tmp_path, 60_000)


def test_every_row_is_in_a_picture_and_the_title_has_its_errors(rows_file):
    rows = KernelRows(rows_file)
    for draw in (kernels.scatter, kernels.residuals):
        figure = draw(rows)
        assert len(figure.axes) == 3
        for axes, (name, part) in zip(figure.axes, rows.by_mechanism().items()):
            median, mean = part.errors()
            title = axes.get_title(loc="left")
            assert title.startswith(f"{name}: {len(part)} rows")
            assert f"{100 * median:.1f} % median, {100 * mean:.1f} % mean" in title
            assert axes.images[0].get_array().count() > 0


def command_line(*words):
    return subprocess.run([sys.executable, "-B", "-m", "echo_sweep", "kernels", *map(str, words)], cwd=ANALYSIS,
                          capture_output=True, text=True)


def test_the_command_draws_both(rows_file, tmp_path):
    done = command_line(rows_file, "-o", tmp_path / "s.svg", tmp_path / "r.svg")
    assert done.returncode == 0, done.stderr
    assert all((tmp_path / name).read_text().startswith("<?xml") for name in ("s.svg", "r.svg"))


def test_another_file_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    done = command_line(tmp_path / "x.csv", "-o", tmp_path / "s.svg", tmp_path / "r.svg")
    assert done.returncode == 2 and "echo-sweep validate" in done.stderr
    assert not list(tmp_path.glob("*.svg"))
