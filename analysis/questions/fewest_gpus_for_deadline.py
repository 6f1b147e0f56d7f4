"""What is the smallest number of GPUs that trains in time, and with which layout?

    fewest_gpus_for_deadline.py llama3-70b-1t-tokens.h5 --deadline "30 d" --picture gpus.png
"""

import asking
from echo_sweep.language import quantity
from echo_sweep.plots.style import add_labels, drop_crowded_ticks
from echo_sweep.quantity import shown
from echo_sweep.text import text_table


def best_of_each_size(rows, per):
    """The fastest config at each number of GPUs of each `per`, by GPUs."""
    best = rows.best(1, by="train_days", per=[per, "gpus"])
    return best.view(best.column("gpus").argsort(kind="stable"))


def picture(rows, per, days, path):
    axes = rows.plot.scaling("gpus", "train_days", per=per, ideal=False)
    axes.axhline(days, color="#555555", lw=1)
    axes.figure.set_size_inches(7.5, 4.2)
    axes.annotate(f"deadline {days:g} days", (0.01, days), xycoords=("axes fraction", "data"), xytext=(0, 4),
                  textcoords="offset points", fontsize=9, color="#555555")
    labels = []
    for name in dict.fromkeys(rows.column(per)):
        winner = fewest(best_of_each_size(rows.where({per: name}), per), days)
        if winner is not None:
            axes.plot(winner["gpus"], winner["train_days"], "o", ms=12, mfc="none", mec="black", mew=1.2)
            labels.append((f"{winner['gpus']}", (winner["gpus"], winner["train_days"])))
    drop_crowded_ticks(axes.xaxis)
    add_labels(axes, labels, fontsize=10, fontweight="bold", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    asking.save(axes, path)
    return axes


def fewest(best, days):
    """The row with the fewest GPUs that is in time, or None."""
    return next((row for row in best if row["train_days"] <= days), None)


def tokens_of(text, rows):
    """What --tokens says, else the [target] of the sweep."""
    tokens = quantity(text) if text else rows.attributes.get("target_tokens", 0.0)
    if not tokens > 0:
        raise ValueError("this sweep has no [target]: say --tokens \"1 T tokens\"")
    return float(tokens)


def main():
    chosen = asking.options(__doc__, deadline=("30 d", "time allowed"),
                            tokens=("", "tokens to train on, if not the sweep's own target"),
                            per=("cluster", "compare the values of this column"))
    rows = asking.results(chosen)
    tokens, days = tokens_of(chosen.tokens, rows), quantity(chosen.deadline) / 86400
    rows = rows.derive("train_days", f"{tokens!r} / tokens_per_s / 86400", "d", "min",
                       f"training time for {tokens / 1e12:g} T tokens")
    best = best_of_each_size(rows, chosen.per)
    names = [chosen.per, "gpus", "tp", "pp", "dp", "vpp", "micro_batch", "recompute", "step_time", "mfu", "train_days"]
    units = {name: rows.about(name).units for name in names}
    in_time = best.where(f"train_days <= {days!r}")
    print(text_table(in_time.best(1, by={"gpus": "min"}, per=chosen.per).frame(names), units))
    for name in dict.fromkeys(rows.column(chosen.per)):
        if len(in_time.where({chosen.per: name})) == 0:
            closest = best.where({chosen.per: name}).best(1, by="train_days")[0]
            print(f"{name}: not in time; {closest['gpus']} GPUs take {shown(closest['train_days'], 'd')}")
    if chosen.picture:
        picture(rows, chosen.per, days, chosen.picture)


if __name__ == "__main__":
    asking.answer(main)
