"""Which inputs a sweep turns. Its resolved text, which every file holds, names them in [space].

The program writes that text itself: one `key = value` a line below the name of its section. So the keys are found
without a TOML reader, which Python has only since 3.11.
"""

import re

SECTION = re.compile(r"^\s*\[+([\w.]+)\]+\s*$")
KEY = re.compile(r"^\s*(\w+) = ")


def axes_of(resolved_toml):
    """Keys of [space] and its groups, and the first one of each zipped set: the others move with it."""
    section, zipped, keys = "", False, []
    for line in resolved_toml.splitlines():
        found = SECTION.match(line)
        if found:
            section, zipped = found[1], False
        elif section.split(".")[0] == "space" and KEY.match(line):
            key = KEY.match(line)[1]
            if not (section.endswith("paired") and zipped) and key not in keys:
                keys.append(key)
            zipped = True
    return keys
