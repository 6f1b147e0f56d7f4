"""What is the time of a step spent on, and what would another layout spend it on?

    where_does_time_go.py gpt3-175b-96xh800.h5 --per tp,pp --picture time.png
"""

import asking
from echo_sweep.quantity import shown


def spent(row):
    """The parts of a step, largest first, as text; those below half a percent are left out."""
    parts = sorted(row.breakdown().items(), key=lambda part: -part[1])
    return ", ".join(f"{part} {100 * seconds / row['step_time']:.1f} %" for part, seconds in parts
                     if seconds >= 0.005 * row["step_time"])


def main():
    chosen = asking.options(__doc__, n=(10, "how many configs"),
                            per=("", "the best of each value of these columns, with commas; else simply the best"))
    rows = asking.results(chosen)
    best = rows.best(1 if chosen.per else chosen.n, per=chosen.per.split(",") if chosen.per else None)
    best = best.view(slice(chosen.n))
    for row in best:
        print(f"{row.id[:8]}  {shown(row['step_time'], 's'):>8}  {spent(row)}")
    if len(best) > 1:
        print(f"from the best to the second: {best[0].diff(best[1])}")
    if chosen.picture:
        from echo_sweep.plots.breakdown import breakdown

        asking.save(breakdown(best, None), chosen.picture)


if __name__ == "__main__":
    asking.answer(main)
