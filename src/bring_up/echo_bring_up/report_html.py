"""The report as one page: no script, nothing loaded from elsewhere."""

from html import escape

from . import report_text
from .record import COUNTED, MEASURED, PLANNED, PREDICTED
from .text import number_text, quantity

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #1b1f24; }
table { border-collapse: collapse; margin: .6em 0 1.6em; } td, th { padding: .25em .8em; text-align: left; vertical-align: top; }
tr { border-bottom: 1px solid #d8dee4; } .bar { height: .8em; min-width: 1px; }
.measured { background: #1a7f37; } .predicted { background: #0969da; } .none { color: #6e7781; }
.done { color: #1a7f37; } .failed { color: #cf222e; font-weight: 600; } .cut, .not { color: #9a6700; }
pre { white-space: pre-wrap; } .fix { color: #57606a; }
"""
CLASSES = {"done": "done", "failed": "failed", "cut off": "cut", "not run": "not"}


def page_of(context, all_stages):
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>echo-bring-up</title><style>%s</style>" % STYLE,
             "<h1>echo-bring-up</h1>", table([("", "")] + report_text.facts_of(context))]
    parts.append("<h2>One training step, four ways</h2>" + bars(report_text.comparison(all_stages, report_text.FOUR)))
    parts.append("<h2>CUDA graphs: the host time of an eager framework</h2>"
                 + bars(report_text.comparison(all_stages, report_text.GRAPHS)))
    for stage, title, kept in all_stages:
        parts.append("<h2>%s: %s</h2><p>%s</p>" % (escape(stage), escape(title), escape(kept.ended or "did not begin")))
        parts.append("<table>%s</table>" % "".join(step_row(step) for step in kept.steps.values()))
    return "\n".join(parts) + "</html>\n"


def table(rows):
    return "<table>%s</table>" % "".join("<tr><th>%s</th><td>%s</td></tr>" % tuple(map(escape, row)) for row in rows if row[0])


def bars(rows):
    """Bars in proportion where all figures are of one machine; figures alone otherwise."""
    longest = max([number.value for _, number, ratio in rows if ratio is not None] or [None], key=lambda value: value or 0.0)
    out = []
    for words, number, ratio in rows:
        bar = ""
        if ratio is not None and longest:
            bar = "<div class='bar %s' style='width:%.1fem'></div>" % (css(number), 20.0 * number.value / longest)
        out.append("<tr><th>%s</th><td>%s</td><td>%s</td><td>%s</td></tr>" % (
            escape(words), escape(number_text(number)), "%.2f" % ratio if ratio is not None else "", bar))
    return "<table>%s</table>" % "".join(out)


def css(number):
    return {MEASURED: "measured", COUNTED: "measured", PREDICTED: "predicted", PLANNED: "none"}[number.kind]


def step_row(step):
    said = ["<div>%s: %s</div>" % (escape(number.name), escape(number_text(number))) for number in step.numbers]
    if step.why:
        said.append("<div>why: %s</div>" % escape(step.why))
    if step.fix:
        said.append("<div class=fix>fix: %s</div>" % escape(step.fix))
    return "<tr><td class=%s>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>" % (
        CLASSES[step.outcome], escape(step.outcome), escape(step.title), escape(quantity(step.seconds, "s")), "".join(said))
