"""The sweep of one point that simulates a row again: the sweep's own text with the row's values in place of its axes."""

import re

SECTION = re.compile(r"^\s*\[+\s*([\w.]+)(?:\.'([^']*)'[^\]]*)?\s*\]+\s*$")  # [space.paired], [included.'site.toml'.gpus.x]
KEY = re.compile(r"^\s*(\w+) = ")
LEFT_OUT = ("space", "keep", "search", "run", "output", "rank", "included")  # [derive] stays: it says what follows from the axes
UNWRITTEN = ("layer_split", "recompute_modules", "lora_targets", "nccl_version")  # columns of these hold codes of other tables


def sweep_of_rows(sweep):
    """{"head": the sweep's text without its axes, "keys": names of [space] to write, each with the value of the row,
    "unwritten": axes of the sweep whose values the page cannot write}."""
    text = sweep.provenance().get("resolved_toml", "")
    head, keys, included, section = [], [], [], ""
    for line in text.splitlines():
        found = SECTION.match(line)
        section = found[1] if found else section
        first = section.split(".")[0]
        if found and found[2] and found[2] not in included:
            included.append(found[2])
        if first == "space" and not found and KEY.match(line):
            keys.append(KEY.match(line)[1])
        if first not in LEFT_OUT and not line.startswith("include = "):
            head.append(line)
    if included:  # by the full paths that they had
        head.insert(0, "include = [ " + ", ".join(f"'{path}'" for path in included) + " ]")
    derived = [KEY.match(line)[1] for line in _section(text, "derive") if KEY.match(line)]
    known = [name for name in dict.fromkeys(keys) if name in sweep.names("input") and name not in derived]
    return {"head": "\n".join(head).strip(), "keys": [name for name in known if name not in UNWRITTEN],
            "unwritten": [name for name in dict.fromkeys(keys) if name not in known or name in UNWRITTEN]}


def _section(text, wanted):
    section = ""
    for line in text.splitlines():
        found = SECTION.match(line)
        section = found[1] if found else section
        if section == wanted and not found:
            yield line
