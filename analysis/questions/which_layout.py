"""Which parallel layout is fastest, which do not fit, and by how much?

    which_layout.py gpt3-175b-96xh800.h5 --picture layout.png
"""

import asking
from echo_sweep.text import text_table


def main():
    chosen = asking.options(__doc__, x=("tp", "input to the right"), y=("pp", "input upwards"),
                            n=(8, "layouts to print"))
    rows = asking.results(chosen)
    metric = rows.ranking_metric()
    table = rows.best(1, by=metric, per=[chosen.x, chosen.y]).view(slice(chosen.n)).summary([metric])
    print(text_table(table, {name: rows.about(name).units for name in table}))
    effects = rows.main_effects(metric)
    print(f"share of the variance of log {metric} that each input explains alone (shares overlap): "
          + ", ".join(f"{name} {100 * share:.0f} %" for name, share in effects.items() if share >= 0.01))
    if chosen.picture:
        asking.save(rows.plot.heatmap(chosen.x, chosen.y, metric), chosen.picture)


if __name__ == "__main__":
    asking.answer(main)
