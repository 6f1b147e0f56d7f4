"""The profile as a table for `echo-sweep profile import`, and beside the model's prices."""

import csv
import json
import statistics
import subprocess

# Columns of the table that profile import reads (docs/calibration.md), as profile show names them.
SAME = ("gpu", "kind", "m", "n", "k", "batch", "groups", "precision", "layout", "style", "causal", "gated", "fp32_accumulate",
        "chunked", "grouped", "attention", "library", "value_dim", "span", "routing_experts", "routing_rows", "routing_reached",
        "routing_unevenness", "routing_tuned", "scope", "sustained")


def rows_of(context, profile):
    """Every kernel of a profile with the model's price; [] where the program cannot read it."""
    words, env = context.sweeping("profile", "show", profile, "-n", "0", "--json")
    done = subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=60)
    return json.loads(done.stdout.decode()) if done.returncode == 0 else []


def write_table(rows, path, note):
    """A CSV table that profile import reads."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(SAME + ("duration_us", "spread", "clock_mhz", "note"))
        for row in rows:
            out.writerow([row[name] for name in SAME] + [repr(row["duration"] * 1e6), blank(row["spread"]), blank(row["clock"]), note])


def blank(value):
    return "" if value is None else value


def ratios_by_kind(rows):
    """[(kind, kernels, median of measured over modelled)], the commonest kinds first; kernels that are not modelled are left out."""
    kinds = {}
    for row in rows:
        if row["ratio"] is not None:
            kinds.setdefault(row["kind"], []).append(row["ratio"])
    return sorted(((kind, len(all_of), statistics.median(all_of)) for kind, all_of in kinds.items()),
                  key=lambda item: (-item[1], item[0]))
