"""What a stage has done so far: one JSON file, whole at any moment, from which a later run goes on and the report is made."""

import json
import os

DONE, FAILED, CUT, NOT_RUN = "done", "failed", "cut off", "not run"
MEASURED, COUNTED, PREDICTED, PLANNED = "measured", "counted", "predicted", "planned"


class Number:
    """A figure of the report. `kind`: measured, counted, predicted, planned; value None: not run, and `note` says why."""

    def __init__(self, name, value, unit, kind, note=""):
        self.name, self.value, self.unit, self.kind, self.note = name, value, unit, kind, note


class StepRecord:
    """One step: how it ended, why, what to fix, its figures and files (relative to the folder of results). `of`: what it was
    done for (Step.of)."""

    def __init__(self, name, title, outcome, why="", fix="", seconds=0.0, log="", files=(), numbers=(), of=""):
        self.name, self.title, self.outcome, self.why, self.fix, self.of = name, title, outcome, why, fix, of
        self.seconds, self.log, self.files = seconds, log, list(files)
        self.numbers = [n if isinstance(n, Number) else Number(**n) for n in numbers]

    def as_dict(self):
        return dict(vars(self), numbers=[vars(number) for number in self.numbers])


class StageRecord:
    """The steps of a stage, in their order. A file that cannot be read counts as no file: its stage runs again."""

    def __init__(self, path, is_dry_run):
        self.path, self.is_dry_run, self.steps, self.ended = path, is_dry_run, {}, ""
        try:
            with open(path) as file:
                stored = json.load(file)
            if stored["is_dry_run"] == is_dry_run:
                self.steps = {step["name"]: StepRecord(**step) for step in stored["steps"]}
                self.ended = stored["ended"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.steps = {}

    def is_done(self, name, of=""):
        return name in self.steps and self.steps[name].outcome == DONE and self.steps[name].of == of

    def add(self, step):
        self.steps[step.name] = step
        self.write()

    def end(self, how):
        """How the stage as a whole ended: "complete", or why it did not."""
        self.ended = how
        self.write()

    def write(self):
        stored = {"is_dry_run": self.is_dry_run, "ended": self.ended,
                  "steps": [step.as_dict() for step in self.steps.values()]}
        with open(self.path + ".part", "w") as file:
            json.dump(stored, file, indent=1)
        os.replace(self.path + ".part", self.path)
