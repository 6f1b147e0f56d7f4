"""Which parallel layout is fastest, which do not fit, and by how much?

    which_layout.py gpt3-175b-96xh800.h5 --picture layout.png
"""

import asking
from echo_sweep.text import text_table


def luck_of(rows, metric):
    """What to expect of the first row, one line; nothing where its errors are not known or no other layout competes."""
    try:
        expected = rows.without_luck(metric)
    except ValueError:
        return ""
    if expected.share < 0.005:
        return ""
    return (f"the first row is the best of {expected.layouts} layouts whose order is uncertain; without the luck of being first, "
            f"expect a step of {expected.step_time:.4g} s (+{100 * expected.share:.1f} %), {100 * expected.mfu:.1f} % MFU\n")


def main():
    chosen = asking.options(__doc__, x=("tp", "input to the right"), y=("pp", "input upwards"),
                            n=(8, "layouts to print"))
    rows = asking.results(chosen)
    metric = rows.ranking_metric()
    table = rows.best(1, by=metric, per=[chosen.x, chosen.y]).view(slice(chosen.n)).summary([metric])
    print(text_table(table, {name: rows.about(name).units for name in table}))
    print(luck_of(rows, metric), end="")
    effects = rows.main_effects(metric)
    print(f"share of the variance of log {metric} that each input explains alone (shares overlap): "
          + ", ".join(f"{name} {100 * share:.0f} %" for name, share in effects.items() if share >= 0.01))
    if chosen.picture:
        asking.save(rows.plot.heatmap(chosen.x, chosen.y, metric), chosen.picture)


if __name__ == "__main__":
    asking.answer(main)
