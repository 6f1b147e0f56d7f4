"""The questions asked of a sweep: which config is best, which are worth having, what moves a metric."""

import numpy as np

from .compare import difference
from .cube import cube_of
from .effects import main_effect
from .errors import SURE, Objective, RowErrors, chances_of_first
from .first_place import first_by_practice
from .luck import without_luck
from .pareto import front_of
from .robust_front import robust_front
from .row import Row
from .table import table_of
from .view import View
from .without_slowdown import without_slowdown

# Follow from the axes in most sweeps, and are what people call a layout by.
LAYOUT = ("gpus", "tp", "pp", "cp", "ep", "dp", "vpp", "schedule")
TOP_METRICS = ("step_time", "tokens_per_s_per_gpu", "mfu", "mem_peak", "mem_limit")


class Sweep(View):
    """Rows of a result file that answer questions. Every choice of rows is a Sweep again."""

    # --- ranking
    def ranking_metric(self):
        """The sweep's first objective. Without one: step_time where every feasible row trains one batch on one number
        of GPUs, else tokens_per_s_per_gpu."""
        if self._file.objectives:
            return next(iter(self._file.objectives))
        rows = self.feasible
        alike = all(len(np.unique(rows.column(name))) <= 1 for name in ("gpus", "global_batch_tokens"))
        return "step_time" if alike else "tokens_per_s_per_gpu"

    def goal(self, metric):
        """"min" or "max", by what the sweep asks for, else by what the file says of the metric."""
        goal = self._file.objectives.get(metric) or self.about(metric).goal
        if not goal:
            raise ValueError(f"the file does not say which way {metric} is better; say so: {{{metric!r}: 'min'}}")
        return goal

    def goals(self, metrics):
        """{metric: "min" or "max"} of names, or of such a dict itself."""
        goals = metrics if isinstance(metrics, dict) else {name: self.goal(name) for name in metrics}
        if not set(goals.values()) <= {"min", "max"}:
            raise ValueError(f"a goal is 'min' or 'max', not {sorted(set(goals.values()) - {'min', 'max'})[0]!r}")
        return goals

    def costs(self, metrics):
        """float[row, metric], less being better. `metrics`: names, or {name: "min" | "max"}."""
        goals = self.goals(metrics)
        signs = [1.0 if goal == "min" else -1.0 for goal in goals.values()]
        return np.column_stack([sign * self.column(name).astype(float) for name, sign in zip(goals, signs)])

    def best(self, n=None, by="auto", per=None, where=None, keep_order=True):
        """Ranked rows, best first, equal ones in file order. With `per`, a column or several: the best n of each. Without
        `keep_order`, that row comes first, among those that tie with the best, which published runs have exercised most
        completely, as in `echo-sweep top` and reports."""
        by = self.ranking_metric() if by == "auto" else by
        rows = self.where(where).ranked
        cost = rows.costs(by if isinstance(by, dict) else [by])[:, 0]
        order = np.argsort(cost, kind="stable")
        rows = rows.view(order[~np.isnan(cost[order])])
        if per is None:
            return (rows if keep_order else first_by_practice(rows, by)).view(slice(n))
        names = [per] if isinstance(per, str) else list(per)
        places = {}
        for i, group in enumerate(zip(*(rows.column(name).tolist() for name in names))):
            places.setdefault(group, []).append(i)
        order = np.full(len(rows), -1)
        for group in places.values():
            some = rows.view(np.array(group))
            some = some if keep_order else first_by_practice(some, by)
            order[group[:n]] = some.places()[:n]
        return type(self)(self._file, order[order >= 0], self._columns)

    def top(self, n=10, by="auto", per=None, where=None, keep_order=False):
        """The best configs as a table, in the order of `echo-sweep top`: what tells them apart, and how they do."""
        by = self.ranking_metric() if by == "auto" else by
        return self.best(n, by, per, where, keep_order).summary(by if isinstance(by, dict) else [by])

    def front(self, metrics, where=None):
        """Ranked rows that no other beats in every metric, sorted by the first one."""
        rows = self.where(where).ranked
        costs = rows.costs(metrics)
        front = np.flatnonzero(front_of(costs))
        return rows.view(front[np.lexsort(costs[front].T[::-1])])

    def pareto(self, metrics=None, where=None, robust=False):
        """The front as a table; without `metrics`, the one the file holds in /pareto. `robust`: with the rows behind it
        that no other surely beats, and `standing` (robust, tie, unproven), the likeliest `rival` and its chance."""
        if metrics is not None:
            if robust:
                return self._with_standing(*self.robust_front(metrics, where), list(metrics))
            return self.front(metrics, where).summary(list(metrics))
        group, unproven = self.group("pareto"), self.group("pareto/unproven") if robust else {}
        if "config" not in group:
            raise ValueError("this file holds no front of its own; name the metrics, as in ['step_time', 'mem_peak']")
        if robust and "standing" not in group:
            raise ValueError(self._no_errors())
        metrics = [name for name in group if name in self._columns and name != "config"]
        stored = {name: np.concatenate([group[name], unproven[name]]) if unproven else group[name]
                  for name in ("config", "rival", "rival_chance") if name in group}
        place = {row: position for position, row in enumerate(self.where(where)._rows)}
        kept = np.array([row in place for row in stored["config"]], dtype=bool)
        rows = type(self)(self._file, stored["config"][kept], self._columns)
        if not robust:
            return rows.summary(metrics)
        standing = np.concatenate([group["standing"], ["unproven"] * len(unproven.get("config", ()))])[kept]
        return self._with_standing(rows, standing, stored["rival"][kept], stored["rival_chance"][kept], metrics)

    def _with_standing(self, rows, standing, rival, chance, metrics):
        names = dict.fromkeys(["config_id"] + rows.summary_names(metrics))
        data = {name: rows.ids() if name == "config_id" else rows.column(name) for name in names}
        ids = self._file.ids
        data.update({"standing": np.array(standing, dtype=object), "rival_chance": chance,
                     "rival": np.array([ids[row] if row >= 0 else "" for row in rival], dtype=object)})
        return table_of(data, {name: rows.about(name) for name in names})

    # --- what errors leave open
    def _no_errors(self, metric="step_time"):
        return f"the file ({self.attributes['schema_version']}) holds no error of {metric}"

    def _judged(self, metrics):
        """(Objectives, RowErrors) of these rows; ValueError where the error of none of the metrics is known."""
        goals, errors = self.goals(metrics), RowErrors.of(self)
        laws = {name: self.about(name).error_follows for name in goals}
        known = {name: errors.knows(law) for name, law in laws.items()}
        if not any(known[name] and laws[name] != "none" for name in goals):
            raise ValueError(self._no_errors(next(iter(goals))))
        return [Objective(self.column(name), goal, laws[name] if known[name] else "")
                for name, goal in goals.items()], errors

    def robust_front(self, metrics, where=None):
        """(rows, standing, rival, chance): the front as predicted, each point robust (no other row beats it in every
        metric with a chance of 1 in 10 or more) or a tie; then the unproven rows, which none beats with 9 in 10.
        `rival`: number in the file of the row likeliest to beat it, -1 where there is none with 1 in 10. A metric whose
        error is not known is taken as it is."""
        rows = self.where(where).ranked
        found = robust_front(*rows._judged(metrics))
        rival = np.where(found.rival < 0, -1, rows._rows[found.rival] if len(rows) else -1)
        return rows.view(found.rows), found.standing, rival, found.chance

    def ties(self, by="auto", where=None, keep_order=True):
        """The best row and those that cannot be told apart from it, best first, as a table with `first_is_better`: the
        chance that the best one truly is the better of the two, below 9 in 10. `keep_order`: as best() has it."""
        by = self.ranking_metric() if by == "auto" else by
        metric = by if isinstance(by, dict) else [by]
        rows = self.best(None, by, None, where, keep_order)
        objectives, errors = rows._judged(metric)
        chance = chances_of_first(objectives[0], errors)
        kept = chance < SURE
        rows, names = rows.view(kept), dict.fromkeys(["config_id"] + rows.view(kept).summary_names(list(metric)))
        data = {name: rows.ids() if name == "config_id" else rows.column(name) for name in names}
        data["first_is_better"] = chance[kept]
        return table_of(data, {name: rows.about(name) for name in names})

    def without_luck(self, by="auto", where=None, keep_order=True):
        """What the best row is to be expected to do once the luck of being the best of many is taken out: a WithoutLuck with
        `step_time`, `mfu`, their `share` and the number of `layouts` that compete. ValueError where errors are not known.
        `keep_order`: as best() has it."""
        by = self.ranking_metric() if by == "auto" else by
        return without_luck(self.best(None, by, None, where, keep_order), by)

    def summary(self, metrics=()):
        """A table of these rows: what the sweep turns, the layout, `metrics` and the usual ones."""
        return self.frame(dict.fromkeys(["config_id"] + self.summary_names(metrics)))

    def summary_names(self, metrics=()):
        whole = self.whole()
        axes, varying = whole.axes(), whole.varying()
        inputs = [name for name in varying if name in axes or name in LAYOUT]
        metrics = list(metrics) + [name for name in TOP_METRICS if name in self._columns]
        return inputs + metrics

    # --- many rows at once
    def cube(self, metric, axes, where=None, reduce="best"):
        """The metric over a few inputs as a dense array: see Cube. `reduce`: best, min, max, mean or median."""
        return cube_of(self.where(where), metric, axes, reduce)

    def main_effects(self, metric="auto", where=None):
        """{input: share of the variance of the metric's logarithm it explains alone}, largest first."""
        metric = self.ranking_metric() if metric == "auto" else metric
        rows = self.where(where).feasible
        values = rows.column(metric).astype(float)
        rows, values = rows.view(values > 0), np.log(values[values > 0])
        effects = {name: main_effect(self._columns[name].codes[rows._rows], values) for name in rows.axes()}
        return dict(sorted(effects.items(), key=lambda item: -item[1]))

    def without_slowdown(self, where=None):
        """In how many slices another layout would win without the slowdown of overlapped work: see WithoutSlowdown."""
        return without_slowdown(self.where(where))

    def why_not(self, where=None):
        """A table of the causes for which rows are not feasible, the most frequent first: `reason`, `cause` (the limit, or the
        rule in words), the `axes` that a rule looks at, the number of `rows`, the config_id of `one` of them, and the smallest
        `change` that makes such a row feasible, as the file keeps it ("" where it keeps none; see Row.why_not)."""
        rows = self.where(where)
        rows = rows.view(rows.column("status") != "ok")
        reasons, ids = rows.column("reason"), rows.ids()
        limits = rows.column("limit") if "limit" in rows.names() else np.full(len(rows), "none")
        rules = rows.column("rule") if "rule" in rows.names() else np.full(len(rows), "none")
        counts, first = {}, {}
        for place, key in enumerate(zip(reasons, limits, rules)):
            counts[key] = counts.get(key, 0) + 1
            first.setdefault(key, ids[place])
        keys = sorted(counts, key=lambda key: -counts[key])
        said = {key: self.rule_of(key[2]) for key in keys}
        words = {"reason": [key[0] for key in keys],
                 "cause": [said[key][0] or (key[1] if key[1] != "none" else "") for key in keys],
                 "axes": [" ".join(said[key][1]) for key in keys]}
        data = {name: np.array(values, dtype=object) for name, values in words.items()}
        kept = [self.nearest_of(*key) for key in keys]
        data["change"] = np.array([entry["change"] if entry else "" for entry in kept], dtype=object)
        data["one"] = np.array([entry["config_id"] if entry else first[key] for key, entry in zip(keys, kept)], dtype=object)
        data["rows"] = np.array([counts[key] for key in keys], dtype=np.int64)
        return table_of({name: data[name] for name in ("reason", "cause", "axes", "rows", "one", "change")}, {})

    def next_runs(self, runs=5, where=None, by="auto", max_gpus=0, program=None):
        """The real runs that would most settle the ranking of the file, as `echo-sweep next FILE --json` says them: `before`,
        `runs` with the outlook `after` each. `where`: rows to choose among; `program`: the path of echo-sweep, else it is
        looked for. RuntimeError where it has no answer."""
        from .report.program import Program, find_program

        plan, problem = Program(find_program(program), self.path).next_runs(runs, where or "", by, max_gpus)
        if plan is None:
            raise RuntimeError(problem)
        return plan

    def diff(self, other, metric="auto"):
        """What changed from this sweep to `other`, config by config, and why: see SweepDifference."""
        return difference(self, other, self.ranking_metric() if metric == "auto" else metric)

    # --- one row
    def __getitem__(self, key):
        """A row by the beginning of its config_id, or by its number in this view."""
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"row {key} of {len(self)}")
            return Row(self, int(key) % len(self))
        found = np.flatnonzero(np.char.startswith(self.ids(), str(key).lower()))
        if len(found) != 1:
            raise KeyError(f"{len(found)} configs start with {key!r}")
        return Row(self, int(found[0]))

    def __iter__(self):
        return (Row(self, i) for i in range(len(self)))

    def report(self, path, program=None):
        """Writes one page of HTML about the whole file, with pictures and a table, to `path`. `program`: the path of
        echo-sweep, which knows timelines and kernels; else it is looked for. Needs plotly. Returns the page's bytes."""
        from .report import write_report

        return write_report(self, path, program)

    @property
    def plot(self):
        from .plots import Plots

        return Plots(self)
