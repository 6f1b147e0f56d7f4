"""Which fabric and which layout win under which congestion control?

    roce_or_infiniband.py roce-or-infiniband.h5 --picture networks.png
"""

import asking
import numpy as np
from echo_sweep.text import text_table

LAYOUT = ["tp", "pp", "ep", "zero"]


def network_of(row):
    """A line of the picture: fabric, congestion control, paths."""
    if "ndr" in row["cluster"]:
        return "InfiniBand"
    return f"RoCE {row['congestion_control'].upper()} {'hashed' if row['routing'] == 'ecmp' else 'spread'}"


def layout_of(row):
    parts = [f"tp {row['tp']}", f"pp {row['pp']}"] + ([f"ep {row['ep']}"] if row["ep"] > 1 else [])
    return ", ".join(parts + (["ZeRO-3"] if row["zero"] == "parameters" else []))


def steps_of(rows):
    """{(network, oversubscription): {layout: step}} of one model."""
    found = {}
    for row in rows:
        steps = found.setdefault((network_of(row), float(row["oversubscription"])), {})
        steps[layout_of(row)] = min(row["step_time"], steps.get(layout_of(row), np.inf))
    return dict(sorted(found.items()))


def changed_places(steps, reference):
    """Pairs of layouts that stand in the other order than in the reference."""
    names = sorted(set(steps) & set(reference))
    return sum((steps[a] - steps[b]) * (reference[a] - reference[b]) < 0 for i, a in enumerate(names) for b in names[:i])


def picture(steps_by_model, path):
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(steps_by_model), figsize=(9.5, 4.6), sharey=True, squeeze=False)
    for axes, (model, steps) in zip(panels[0], steps_by_model.items()):
        for layout in next(iter(steps.values())):
            axes.plot([one.get(layout, np.nan) for one in steps.values()], range(len(steps)), "o-", ms=4, lw=1, label=layout)
        axes.set_yticks(range(len(steps)), [f"{network} {uplinks:g}:1" for network, uplinks in steps])
        axes.set_xlabel(f"step_time [s], {model}")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.legend(fontsize=8)
        axes.grid(axis="y", lw=0.3)
    panels[0][0].invert_yaxis()
    figure.tight_layout()
    asking.save(panels[0][0], path)


def main():
    chosen = asking.options(__doc__)
    rows = asking.results(chosen).feasible
    steps_by_model, table = {}, {name: [] for name in ["model", "network", "uplinks", "best layout", "its step", "slowest layout",
                                                       "step of that", "pairs swapped"]}
    for model in dict.fromkeys(rows.column("model")):
        steps = steps_by_model[model] = steps_of(rows.where({"model": model}))
        reference = steps["InfiniBand", 1.0]
        for (network, uplinks), one in steps.items():
            best, worst = min(one, key=one.get), max(one, key=one.get)
            for name, value in zip(table, [model, network, f"{uplinks:g}:1", best, f"{one[best]:.2f} s", worst,
                                           f"{one[worst]:.2f} s",
                                           changed_places(one, reference)]):
                table[name].append(value)
    print(text_table(table, dict.fromkeys(table, "")))
    if chosen.picture:
        picture(steps_by_model, chosen.picture)


if __name__ == "__main__":
    asking.answer(main)
