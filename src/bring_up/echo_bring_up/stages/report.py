"""What was measured and predicted, as text and as one page, and one archive to import. Made of what is on disk, whatever ran."""

import os

from .. import archive, report_html, report_text, results_import
from ..record import COUNTED, Number
from ..step import NotRun, Step

title = "report, and the archive to take home"


def write_steps(context, _):
    facts = archive.facts_of_step(context)
    if facts is None:
        raise NotRun("no step was timed", "see the stage `training_step`")
    if facts["device"] != "cuda":
        raise NotRun("the step was timed on a CPU: that is no measurement to validate against")
    archive.write_steps(context, facts, context.preset())
    return []


def write_texts(context, _):
    stages = report_text.stages_of(context)
    context.write("report.txt", report_text.text_of(context, stages))
    context.write("report.html", report_html.page_of(context, stages))
    return [Number("stages", len(stages), "", COUNTED)]


def write_archive(context, _):
    path, inside = archive.write(context)
    return [Number("archive", os.path.relpath(path, context.out), "", COUNTED, "%d files, %.1f MB" % (
        len(inside), os.path.getsize(path) / 1e6))]


def steps(context):
    return [
        Step("steps_table", "the step as a table to validate", check=write_steps, again=True, files=["steps.csv", "presets.toml"]),
        Step("texts", "report.txt, report.html", check=write_texts, again=True, files=["report.txt", "report.html"]),
        Step("archive", "the archive", check=write_archive, again=True),
        Step("import", "the archive's own import, here", results_import.command, results_import.check, limit=120, again=True),
    ]
