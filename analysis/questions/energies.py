"""How well is the power of published jobs predicted? Measured (energies.csv) beside predicted (energies.toml).

    energies.py energies.h5
"""

import csv
import pathlib

import asking
import numpy as np
from echo_sweep.text import text_table

PUBLISHED = pathlib.Path(__file__).resolve().parents[2] / "sweeps/published/energies.csv"


def compared(rows, published):
    """[{job, measured and predicted power of a node and energy of a step, their errors}] of the measured jobs."""
    energy, step, gpus, watts = (rows.column(name) for name in ("energy_step", "step_time", "gpus", "gpu_power"))
    table = []
    for i, job in enumerate(published):  # a group of the sweep each, in this order
        nodes, measured = int(job["nodes"]), job["kind"] == "measured"
        if gpus[i] != 8 * nodes:
            raise SystemExit(f"row {i} is not the job {job['name']}: make the file with sweeps/published/energies.toml")
        node = energy[i] / step[i] / nodes if measured else 8 * watts[i]
        joules = float(job["power_w"]) * nodes * float(job["step_s"])
        table.append({"job": job["name"], "published": job["kind"], "power_w": float(job["power_w"]), "predicted_w": node,
                      "power_error": node / float(job["power_w"]) - 1.0,
                      "energy_error": energy[i] / joules - 1.0 if measured else np.nan})
    return table


def main():
    rows = asking.results(asking.options(__doc__))
    with open(PUBLISHED, newline="") as file:
        table = compared(rows, list(csv.DictReader(file)))
    shown = {"job": [row["job"] for row in table], "published": [row["published"] for row in table],
             "node [kW]": [f"{row['power_w'] / 1e3:.2f}" for row in table],
             "predicted [kW]": [f"{row['predicted_w'] / 1e3:.2f}" for row in table],
             "power": [f"{100 * row['power_error']:+.1f} %" for row in table],
             "energy of a step": ["-" if np.isnan(row["energy_error"]) else f"{100 * row['energy_error']:+.1f} %" for row in table]}
    print(text_table(shown, {}))


if __name__ == "__main__":
    asking.answer(main)
