"""Everything that the page shows of a result file, as one dict that JSON can hold. Numbers in the units of the file."""

import datetime
import math

import numpy as np

from ..errors import SURE
from ..plots.style import LABELS, PARTS, SERIES
from ..quantity import ENERGIES, MASSES, SIZES, TIMES
from ..without_slowdown import without_slowdown
from .answer import TIES_SHOWN, doubtful_of, luck_of, nearest_of, settling
from .chosen import FRONT, MOST, chosen_rows, page_axes, slice_axes, stand_ins
from .funnel import outcomes
from .packed import packed_rows
from .rows import ModelRows
from .row_sweep import sweep_of_rows

STATUSES = ("feasible", "infeasible", "failed", "over_budget", "pending")
BINS = (48, 32)        # of a cloud of points that are not all on the page
TAX_BINS = 40
TIMELINES = 10         # rows whose timeline the page holds
MOST_CHANGED = 40      # slices listed where another layout wins without slowdown


def front_metrics(rows):
    """{metric: "min" or "max"} of the Pareto front: the sweep's first two objectives, else step time against GPUs where their
    number varies, else the metric of the ranking against memory."""
    asked = dict(list(rows.all._file.objectives.items())[:2])
    if len(asked) == 2:
        return asked
    if not asked and "gpus" in rows.all.varying():
        return {"step_time": "min", "gpus": "min"}
    return {rows.metric: rows.goal, "gpus" if "gpus" in rows.all.varying() else "mem_peak": "min"}


def levers_of(rows):
    """{axis: share of the variance} of rows.metric, largest first; of axes that say the same only the first."""
    view, kept = rows.all.feasible, {}
    if not len(view):
        return {}
    for name, share in rows.all.main_effects(rows.metric).items():
        alias = any(abs(share - other) < 1e-9 and _say_the_same(view, name, axis) for axis, other in kept.items())
        if not math.isnan(share) and not alias:
            kept[name] = share
    return kept


def _say_the_same(view, first, second):
    a, b = (np.unique(view.about(name).codes[view.places()], return_inverse=True)[1].reshape(-1) for name in (first, second))
    both = len(np.unique(a.astype(np.int64) * (int(b.max(initial=0)) + 1) + b))
    return both == len(np.unique(a)) == len(np.unique(b))


def density_of(view, x, y):
    """Counts of rows over two metrics, on logarithmic axes where all values are positive: {"x", "y": edges, "counts"}."""
    values = [view.column(name).astype(float) for name in (x, y)]
    finite = np.isfinite(values[0]) & np.isfinite(values[1])
    edges = []
    for one, bins in zip(values, BINS):
        one = one[finite]
        low, high = (one.min(), one.max()) if len(one) else (0.0, 1.0)
        logarithmic = low > 0 and high > low
        edges.append(np.geomspace(low, high, bins + 1) if logarithmic else np.linspace(low, high + (high == low), bins + 1))
    counts = np.histogram2d(*(one[finite] for one in values), bins=edges)[0]
    return {"x": edges[0].tolist(), "y": edges[1].tolist(), "counts": counts.T.astype(int).tolist()}


def tax_of(rows):
    """How often which slowdown tax occurs among the ranked rows: {"edges", "counts"}; None where it is not known."""
    if "slowdown_tax" not in rows.all.names():
        return None
    values = rows.ranked.column("slowdown_tax").astype(float)
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    counts, edges = np.histogram(values, bins=TAX_BINS, range=(min(0.0, float(values.min())), max(1e-3, float(values.max()))))
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def overlap_of(rows):
    """What Sweep.without_slowdown says: in how many slices another layout would win; the changed ones by config_id."""
    if not len(rows.ranked) or "step_time_no_slowdown" not in rows.all.names():
        return None
    said = without_slowdown(rows.all)
    changed = [{"wins_with": str(a), "wins_without": str(b), "loss": float(loss)}
               for a, b, loss in zip(said.changed["wins_with"], said.changed["wins_without"], said.changed["loss"])]
    return {"slices": said.slices, "another": said.another_wins, "median": said.median_loss, "largest": said.largest_loss,
            "contention": said.includes_contention, "alike": list(said.alike_in), "changed": changed[:MOST_CHANGED],
            "taxes": [float(tax) for tax in said.winners["tax"]][:400]}


def told_by(sweep):
    """Inputs that tell rows apart as people call them: what the sweep turns, and the layout."""
    return [name for name in sweep.summary_names() if name in sweep.names("input")]


class Report:
    """What is to be on the page of `sweep`, model by model. `program`: a Program."""

    def __init__(self, sweep, program):
        self._sweep, self._program = sweep, program
        self._metric = sweep.ranking_metric()
        self._models = self._split()
        self._levers = [levers_of(rows) for rows in self._models]
        self._fronts = [rows.front(front_metrics(rows)) if len(rows.ranked) else None for rows in self._models]
        self._near = [nearest_of(rows) if not len(rows.ranked) else None for rows in self._models]
        self._page = self._choose()

    def _split(self):
        about = self._sweep.about("model")
        found = []
        for code in np.unique(about.codes):
            part = self._sweep.view(about.codes == code)
            found.append(ModelRows(part, about.words.get(int(code), ""), self._metric))
        return found

    def _choose(self):
        parts = []
        self._axes = []
        for rows, levers, front, near in zip(self._models, self._levers, self._fronts, self._near):
            axes, slices = page_axes(rows, levers), slice_axes(rows)
            self._axes.append({"axes": axes, "slices": slices})
            shown = [rows.tied[0].places()[:TIES_SHOWN], doubtful_of(rows)[0].places()]
            shown += [front[0].places()[:FRONT], front[2][front[2] >= 0][:FRONT]] if front else [near.places()]
            standing = stand_ins(rows, axes, slices) if self._sweep._file.rows > MOST else np.zeros(0, dtype=np.int64)
            parts.append((rows, np.concatenate(shown).astype(np.int64), standing))
        chosen = chosen_rows(parts, self._sweep._file.rows)
        return self._sweep.view(chosen)

    def _on_page(self, numbers):
        """Places on the page of rows of the file."""
        return np.searchsorted(self._page.places(), numbers).tolist()

    # --- parts
    def _counts(self, rows):
        codes = np.bincount(rows.all.about("status").codes[rows.all.places()].astype(np.int64), minlength=5)
        return {**dict(zip(STATUSES, codes.tolist())), "ranked": len(rows.ranked), "doubtful": len(rows.doubtful)}

    def _ties(self, rows):
        tied, chance = rows.tied
        places = self._on_page(tied.places()[:TIES_SHOWN])
        return {"count": len(tied), "judged": rows.judged is not None, "sure": SURE,
                "rows": [{"row": row, "first_is_better": float(one)} for row, one in zip(places, chance)]}

    def _luck(self, rows):
        luck = luck_of(rows)
        return None if luck is None else {"share": luck.share, "step_time": luck.step_time, "mfu": luck.mfu,
                                          "layouts": luck.layouts}

    def _front(self, rows, front):
        x, y = front_metrics(rows)
        view, standing, rival, chance = front
        kept = slice(0, FRONT)
        rivals = rival[kept]
        places = np.where(rivals >= 0, np.searchsorted(self._page.places(), rivals), -1)
        points = [{"row": row, "standing": str(word), "rival": int(one), "chance": None if math.isnan(odds) else float(odds)}
                  for row, word, one, odds in zip(self._on_page(view.places()[kept]), standing[kept], places, chance[kept])]
        goals = front_metrics(rows)
        laws = {name: rows.all.about(name).error_follows for name in (x, y)}
        whole = len(rows.ranked) <= MOST and self._sweep._file.rows <= MOST
        counts = {word: int(np.sum(standing == word)) for word in ("robust", "tie", "unproven", "unjudged")}
        return {"x": x, "y": y, "goals": goals, "error_follows": laws, "points": points, "counts": counts,
                "density": None if whole else density_of(rows.ranked, x, y)}

    def _model(self, rows, levers, front, near, axes):
        doubtful, count = doubtful_of(rows)
        found = {"name": rows.name, "counts": self._counts(rows), "best": None, "funnel": outcomes(rows),
                 "nearest": self._on_page(near.places()) if near is not None else [],
                 "doubtful": {"count": count, "rows": self._on_page(doubtful.places())},
                 "levers": [{"axis": name, "share": share} for name, share in levers.items()], **axes}
        if len(rows.ranked):
            found.update({"best": self._on_page(rows.ranked.places()[:1])[0], "ties": self._ties(rows),
                          "settling": settling(rows), "luck": self._luck(rows), "front": self._front(rows, front),
                          "tax": tax_of(rows), "overlap": overlap_of(rows)})
        return found

    def _of_best(self, ask):
        """{place on the page: answer} of the best rows and those that tie with them, as many as TIMELINES; and why one is
        missing. `ask`: of a row's id."""
        wanted = [rows.tied[0].places()[rank] for rank in range(TIMELINES) for rows in self._models
                  if rank < len(rows.tied[0])][:TIMELINES]
        found, problem = {}, ""
        for number in wanted:
            answer, problem = ask(str(self._sweep._file.ids_of([number])[0]))
            if answer is None:
                break
            found[self._on_page([number])[0]] = answer
        return {"rows": found, "problem": problem}

    def _notices(self):
        a, found = self._sweep.attributes, []
        if a.get("state") == "partial":
            share = 100.0 * a["n_done"] / max(1, a["n_total"])
            found.append(f"Interrupted or still running: {share:.1f} % of {a['n_total']:,} points are done. The answer may change."
                         .replace(",", " "))
        if a.get("shard"):
            found.append(f"Only shard {a['shard']} of the sweep.")
        if a.get("what_if"):
            found.append(f"What if {a['what_if']}: hardware that no preset describes.")
        if a.get("setting") == "production":
            found.append("Step times are those of long production runs, not of benchmarks.")
        if a.get("n_failed"):
            found.append(f"{a['n_failed']} points failed in the simulator and are missing from every ranking.")
        return found

    def facts(self):
        a, sweep = self._sweep.attributes, self._sweep
        models = [self._model(*one) for one in zip(self._models, self._levers, self._fronts, self._near, self._axes)]
        plan, plan_problem = self._program.plan()
        kernels, kernels_problem = self._program.kernels()
        order = sorted(models, key=lambda model: -model["counts"]["ranked"])
        return {
            "name": a.get("name", ""), "title": a.get("title", ""), "file": sweep.path.rsplit("/", 1)[-1],
            "state": a.get("state", ""), "schema": a["schema_version"], "created": a.get("created", ""),
            "currency": a.get("currency", ""), "target_tokens": float(a.get("target_tokens", 0)),
            "reliability": a.get("reliability", ""),
            "least_fit": float(a.get("min_fit_chance", 0.0)),
            "counts": {name: int(a.get(f"n_{name}", 0)) for name in STATUSES}, "points": int(a["n_total"]),
            "rows_in_file": sweep._file.rows, "metric": self._metric, "goal": sweep.goal(self._metric),
            "objectives": sweep._file.objectives, "told_by": told_by(sweep),
            "notices": self._notices(), "models": models, "order": [models.index(m) for m in order],
            "rows": packed_rows(self._page, self._metric), "row_sweep": sweep_of_rows(sweep),
            "plan": plan, "plan_problem": plan_problem, "kernels": kernels, "kernels_problem": kernels_problem,
            "timelines": self._of_best(self._program.timeline), "launches": self._of_best(self._program.launch),
            "provenance": provenance_of(sweep), "colours": {"series": SERIES, "parts": PARTS},
            "scales": {"s": TIMES, "byte": SIZES, "J": ENERGIES, "kg": MASSES}, "labels": LABELS,
            "rules": {word: text for word, (text, _) in sweep._file.rules.items()},
            "written": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        }


def provenance_of(sweep):
    """Versions, digests and keys, launches, inputs and the sweep's text, as the file holds them."""
    said, a = sweep.provenance(), sweep.attributes
    keys = ("rows_digest", "rows_digest_algorithm", "sweep_key", "row_key", "code_key", "catalog_key", "calibration_key", "space_key")
    facts = {name: str(value) for name, value in said.items()
             if not isinstance(value, dict) and name not in ("sweep_toml", "resolved_toml", "layer_tables", "description")}
    tables = {name: {column: [_plain(one) for one in values] for column, values in said.get(name, {}).items()}
              for name in ("inputs", "runs")}
    return {"facts": facts, "digests": {name: str(a[name]) for name in keys if name in a}, **tables,
            "sweep_toml": said.get("sweep_toml", ""), "settings": {name: str(value) for name, value in sweep.settings.items()}}


def _plain(value):
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if not isinstance(value, (int, float)) or value != value else value
