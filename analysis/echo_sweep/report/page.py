"""Puts the page together: its text, style and scripts, Plotly's script, and the facts as JSON."""

import html
import json
import math
import os
import pathlib

from .facts import Report
from .program import Program, find_program

ASSETS = pathlib.Path(__file__).parent / "assets"
SCRIPTS = ("format.js", "data.js", "state.js", "parts.js", "answer.js", "charts.js", "heat_map.js", "shares.js", "table.js",
           "row.js", "main.js")


def plotly_script():
    """Plotly's own script, as the installed package holds it."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise ValueError("the report needs plotly: pip install plotly, or apt-get install python3-plotly") from error
    return get_plotlyjs()


def _finite(value):
    """Numbers that JSON lacks become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, (list, tuple)) else value


def json_for_page(facts):
    """JSON that cannot end the element that holds it, whatever names are in it."""
    text = json.dumps(_finite(facts), separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script(text):
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def page_of(facts):
    """The page as text."""
    template = (ASSETS / "page.html").read_text()
    parts = {
        "TITLE": html.escape(facts["title"] or facts["name"] or "echo-sweep"),
        "STYLE": (ASSETS / "page.css").read_text(),
        "PLOTLY": _script(plotly_script()),
        "SCRIPT": _script("(() => {\n\"use strict\";\n" + "\n".join((ASSETS / name).read_text() for name in SCRIPTS) + "})();"),
        "FACTS": json_for_page(facts),
    }
    pieces = template.split("@@")  # text, name, text, name, ..., text
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def write_report(sweep, path, program=None):
    """Writes the page of a Sweep to `path`, whole or not at all. `program`: the path of echo-sweep, else it is looked for;
    without it the page says what it lacks. Returns the number of bytes."""
    plotly_script()  # before work that would be lost
    text = page_of(Report(sweep.whole(), Program(find_program(program), sweep.path)).facts()).encode()
    scratch = f"{path}.tmp{os.getpid()}"
    try:
        pathlib.Path(scratch).write_bytes(text)
        os.replace(scratch, path)
    finally:
        pathlib.Path(scratch).unlink(missing_ok=True)
    return len(text)
