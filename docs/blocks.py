"""Blocks of a page that a command wrote: a comment that names the command, and the text below it.

    <!-- refresh: NAME
    before: echo-sweep sweeps/two-budgets.toml
    run: echo-sweep top two-budgets.h5 -n 3
    columns: #, id, step
    -->
    ```
    the output
    ```

The text is the fence that follows the comment, or, without a fence, everything up to a line `<!-- end -->` (tables in
Markdown). A fence that begins with `$ COMMAND` runs what it shows, and needs no `run:`. A ```python fence with `>>>`
is a session. Keys of the comment:

    run         the command; its standard output is the text
    before      a command that has to be run earlier, once for all pages (may be repeated)
    from, to    regular expressions: only the lines from the first that matches `from` to the one before `to` are shown
    lines       which of these lines are shown: 1-4 8 10-
    columns     which columns of its tables are shown, by the words of their heads, separated by commas
    mask        a regular expression of what may differ between two runs, such as a time (may be repeated)
    exit        the exit code that the command is expected to have, 0 if left out
    needs       data (published tables), calibrate, benchmark (echo-...), python (h5py, pandas, ...),
                $NAME: a variable of the environment that names a file
    skip-in-check    why --check does not run it: too slow, or timings
"""

import dataclasses
import difflib
import re

KEYS = {"run", "before", "from", "to", "lines", "columns", "mask", "exit", "needs", "skip-in-check"}
REPEATED = {"before", "mask"}
comment = re.compile(r"^<!-- refresh: (?P<name>[^\n]*?)\s*(?:\n(?P<keys>.*?))?-->\n", re.S | re.M)
fence = re.compile(r"```(?P<language>\w*)\n(?P<text>.*?)^```$", re.S | re.M)
end = re.compile(r"^<!-- end -->$", re.M)
left_out_mark = "..."


class BadBlock(Exception):
    pass


@dataclasses.dataclass
class Block:
    name: str
    line: int     # of the comment in its page
    begin: int    # the text to be replaced, as offsets into the page
    end: int
    text: str     # what stands there, without the line of the command
    shown: bool   # the fence shows its command
    session: bool
    keys: dict

    @property
    def command(self):
        return self.keys["run"]


def read_keys(text, place):
    keys = {name: [] for name in REPEATED}
    for line in (text or "").strip().splitlines():
        key, colon, value = line.strip().partition(":")
        if not colon or key not in KEYS:
            raise BadBlock(f"{place}: no key of a block: {line.strip()!r}")
        if key in REPEATED:
            keys[key].append(value.strip())
        else:
            keys[key] = value.strip()
    return keys


def read_block(page, found, place):
    name, keys = found["name"], read_keys(found["keys"], place)
    line = page.count("\n", 0, found.start()) + 1
    opening = fence.match(page, found.end())
    if not opening:
        closing = end.search(page, found.end())
        if not closing:
            raise BadBlock(f"{place}: neither a fence nor <!-- end --> below {name!r}")
        text, begin, stop = page[found.end() : closing.start()], found.end(), closing.start()
        return Block(name, line, begin, stop, text, False, False, keys)
    text, begin, stop = opening["text"], opening.start("text"), opening.end("text")
    session = opening["language"] == "python" and text.startswith(">>> ")
    shown = text.startswith("$ ")
    if shown:
        first, _, text = text.partition("\n")
        keys["run"] = first[2:].partition("   #")[0].strip()
        begin += len(first) + 1
    if session:
        keys["run"] = page[begin:stop]
    if "run" not in keys:
        raise BadBlock(f"{place}: {name!r} names no command")
    return Block(name, line, begin, stop, text, shown, session, keys)


def read_blocks(page, place):
    return [read_block(page, found, place) for found in comment.finditer(page)]


def chosen_lines(lines, ranges):
    chosen = []
    for word in ranges.split():
        first, dash, last = word.partition("-")
        stop = int(last) if last else (len(lines) if dash else int(first))
        chosen += lines[int(first) - 1 : stop]
    return chosen


def gaps(rows):
    """The columns of characters that are blank in every row, as [(first, past the last)], two or more together."""
    width = max(map(len, rows))
    blank = [all(row[i : i + 1] in ("", " ") for row in rows) for i in range(width)] + [False]
    found, since = [], None
    for i, is_blank in enumerate(blank):
        if is_blank and since is None:
            since = i
        if not is_blank and since is not None:
            if i - since >= 2:
                found.append((since, i))
            since = None
    return found, width


def without_columns(rows, wanted):
    """Rows of one table of text, the head first, with only the wanted columns."""
    between, width = gaps(rows)
    edges = [0, *[cut for gap in between for cut in gap], width]
    cells = [(edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]
    kept = [(a, b) for a, b in cells if rows[0][a:b].strip() in wanted]
    return ["  ".join(row[a:b].ljust(b - a) for a, b in kept).rstrip() for row in rows]


def choose_columns(lines, wanted):
    """Cuts every table whose head has all the wanted words; its rows begin with a number or a word below the head."""
    out, i = [], 0
    while i < len(lines):
        heads = [word.strip() for word in re.split(r"\s{2,}", lines[i].strip())]
        if not set(wanted) <= set(heads):
            out.append(lines[i])
            i += 1
            continue
        stop = i + 1
        while stop < len(lines) and re.match(r"\s*[#\w*]+\s{2,}\S", lines[stop]):
            stop += 1
        out += without_columns(lines[i:stop], wanted)
        i = stop
    return out


def between(lines, first, last):
    """From the first line that matches `first` to the one before a later one that matches `last`."""
    begin = next((i for i, line in enumerate(lines) if re.search(first, line)), len(lines)) if first else 0
    stop = next((i for i, line in enumerate(lines) if i > begin and last and re.search(last, line)), len(lines))
    return lines[begin:stop]


def cut(block, output):
    """The part of a command's output that the page shows."""
    lines = [line.rstrip() for line in output.splitlines()]
    lines = between(lines, block.keys.get("from"), block.keys.get("to"))
    while lines and not lines[-1]:
        lines.pop()
    if block.keys.get("lines"):
        lines = chosen_lines(lines, block.keys["lines"])
    if block.keys.get("columns"):
        lines = choose_columns(lines, [word.strip() for word in block.keys["columns"].split(",")])
    return "".join(line + "\n" for line in lines)


def masked(block, text):
    for pattern in block.keys["mask"]:
        text = re.sub(pattern, left_out_mark, text)
    return text


def same(block, fresh):
    before = block.keys["run"] if block.session else block.text
    return masked(block, before) == masked(block, fresh)


def difference(block, fresh):
    before = block.keys["run"] if block.session else block.text
    lines = difflib.unified_diff(masked(block, before).splitlines(), masked(block, fresh).splitlines(), "in the page",
                                 "printed now", lineterm="", n=1)
    return "\n".join("    " + line for line in lines)
