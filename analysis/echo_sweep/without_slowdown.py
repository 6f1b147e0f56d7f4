"""Whether a study that leaves out the slowdown of overlapped work would choose the same layouts.

A slice holds the feasible rows that are alike in every input but the layout. Some of them win with the slowdown
(step_time), some without it (step_time_no_slowdown); equal means equal picoseconds. A tie may be broken either way, so
that a slice counts as changed only where no row that wins without the slowdown wins with it, and its loss is what the
luckiest of those rows costs. The program's summary and `top` say the same.
"""

from dataclasses import dataclass

import numpy as np

from .table import table_of

LAYOUT = ("tp pp cp ep etp dp vpp schedule micro_batch microbatches zero zero_group sequence_parallel "
          "recompute recompute_modules recompute_method recompute_layers layer_split embedding_is_layer loss_is_layer "
          "overlap_grad_reduce overlap_param_gather overlap_p2p overlap_tp overlap_ep overlaps_shared_experts "
          "cp_comm cp_inner scatter_gather microbatch_group post_validation fsdp_prefetch fsdp_reshard no_sync dispatch "
          "offload_optimizer offload_layers optimizer_tier activation_tier offload_weights weight_tier").split()
NEAR_TIE = 1e-3
FEW = 1 << 22


@dataclass(frozen=True)
class WithoutSlowdown:
    """`slices`: of two rows or more. `winners`: a table of all of them, in order of the file: the winner's config_id, its
    slowdown `tax` (step over step without slowdown, minus 1) and the `loss` of taking what wins without slowdown.
    `changed`: a table of those where another layout wins, the largest loss first, as config_ids. `ties_decided`: slices where slowdown decides between rows that tie without it. `alike_in`: inputs that
    tell slices apart. `includes_contention`: collectives slow each other, too, and the step without slowdown is without
    that."""
    slices: int
    slices_of_one_row: int
    winners: object
    changed: object
    near_ties: int
    ties_decided: int
    alike_in: list
    includes_contention: bool

    @property
    def another_wins(self):
        return len(self.changed["loss"])

    @property
    def share(self):
        return self.another_wins / self.slices if self.slices else 0.0

    @property
    def median_loss(self):
        return float(np.median(self.changed["loss"])) if self.another_wins else 0.0

    @property
    def largest_loss(self):
        return float(np.max(self.changed["loss"])) if self.another_wins else 0.0

    def __str__(self):
        lost = (f"; taking it costs {self.median_loss:.1%} of the step in the median, {self.largest_loss:.1%} at most"
                if self.another_wins else "")
        return (f"without slowdown{' and contention' if self.includes_contention else ''}, another layout wins in {self.another_wins} of {self.slices} slices "
                f"({self.share:.1%}){lost}")


def slices_of(rows, names):
    """int[row]: rows that are alike in all columns `names` have one number, which grows with their values."""
    number = np.zeros(len(rows), dtype=np.int64)
    for name in names:
        column, codes = rows.about(name), rows.about(name).codes[rows.places()]
        if column.words:  # in the order of the words
            known = sorted(column.words)
            rank = np.argsort(np.argsort([column.words[code] for code in known]))
            codes = rank[np.searchsorted(known, codes)]
        place, count = places_of(codes)
        number, _ = places_of(number * count + place)
    return number


def places_of(codes):
    """(int[row], count): the place of each code among the different ones, ascending. Counts small numbers instead of sorting."""
    if not len(codes):
        return np.zeros(0, dtype=np.int64), 0
    low, high = int(codes.min()), int(codes.max())
    if high - low < FEW:
        shifted = codes.astype(np.int64) - low
        present = np.bincount(shifted) > 0
        return (np.cumsum(present) - 1)[shifted], int(present.sum())
    values, place = np.unique(codes, return_inverse=True)
    return place.reshape(-1), len(values)


def without_slowdown(sweep):
    """Of the feasible rows of a Sweep."""
    rows = sweep.feasible
    step, unslowed = (rows.column(name).astype(float) for name in ("step_time", "step_time_no_slowdown"))
    timed = (step > 0) & (unslowed > 0)
    rows, step, unslowed = rows.view(timed), step[timed], unslowed[timed]
    asked = [name for name in rows.varying() if name not in LAYOUT and name != "global_batch_tokens"]
    slice_of = slices_of(rows, asked)
    order = np.argsort(slice_of, kind="stable")
    slices = np.split(order, np.flatnonzero(np.diff(slice_of[order])) + 1) if len(rows) else []
    changed, winners, decided = [], [], 0
    for members in slices:
        winner = members[np.argmin(step[members])]
        equals = members[unslowed[members] == unslowed[members].min()]
        taken = equals[np.argmin(step[equals])]
        loss = step[taken] / step[winner] - 1.0
        if len(members) > 1:
            winners.append((winner, step[winner] / unslowed[winner] - 1.0, loss))
        if loss > 0.0:
            changed.append((loss, winner, taken))
        elif step[equals].max() > step[winner]:
            decided += 1
    changed.sort(key=lambda one: (-one[0], one[1]))
    losses = np.array([one[0] for one in changed])

    def ids(positions):
        return rows.view(np.array(positions, dtype=np.int64)).ids()

    table = table_of({"wins_with": ids([one[1] for one in changed]), "wins_without": ids([one[2] for one in changed]),
                      "loss": losses}, {})
    every = table_of({"wins": ids([one[0] for one in winners]), "tax": np.array([one[1] for one in winners]),
                      "loss": np.array([one[2] for one in winners])}, {})
    single = sum(len(members) == 1 for members in slices)
    return WithoutSlowdown(len(slices) - single, single, every, table, int(np.sum(losses <= NEAR_TIE)), decided, asked,
                           "step_time_no_contention" in rows.names()
                           and bool(np.any(rows.column("step_time_no_contention") != step)))
