"""Files of Echo-slowdown (NetX-lab/Echo-slowdown): its spreadsheet of slowdowns and its table of metrics as the one table that
`echo-sweep slowdown import` reads. As its merge_script.py does it: both name the kernels of one step in one order, and kernels of the
spreadsheet without metrics are left out. A spreadsheet (ECMA-376) is a zip archive of XML; the standard library reads both."""

import csv
import xml.etree.ElementTree as xml
import zipfile

MOST_BYTES = 1 << 28  # of one part, unpacked
_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class NotReadable(ValueError):
    """The file is not what it should be; the message says why."""


def _part(archive, name):
    """A part of the archive as XML, or nothing where it has none."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return None
    if info.file_size > MOST_BYTES:
        raise NotReadable(f"{archive.filename}: {name} unpacks to more than {MOST_BYTES >> 20} MiB")
    text = archive.read(info)
    if b"<!DOCTYPE" in text:  # entities that multiply; spreadsheets have none
        raise NotReadable(f"{archive.filename}: {name} declares a document type")
    return xml.fromstring(text)


def _column(reference):
    """0 for A7, 27 for AB3."""
    number = 0
    for letter in reference:
        if not letter.isalpha():
            break
        number = 26 * number + ord(letter.upper()) - ord("A") + 1
    return number - 1


def _text(cell, shared):
    if cell.get("t") == "inlineStr":
        return "".join(piece.text or "" for piece in cell.iter(_SPACE + "t"))
    value = cell.find(_SPACE + "v")
    text = "" if value is None or value.text is None else value.text
    return shared[int(text)] if cell.get("t") == "s" else text


def spreadsheet_rows(path):
    """The first sheet: its first row names the columns, each later row becomes a dict of texts."""
    try:
        with zipfile.ZipFile(path) as archive:
            strings, sheet = _part(archive, "xl/sharedStrings.xml"), _part(archive, "xl/worksheets/sheet1.xml")
            if sheet is None:
                raise NotReadable(f"{path}: it has no sheet")
            shared = [] if strings is None else [
                "".join(piece.text or "" for piece in item.iter(_SPACE + "t")) for item in strings.iter(_SPACE + "si")]
            rows = []
            for row in sheet.iter(_SPACE + "row"):
                cells = {}
                for place, cell in enumerate(row.iter(_SPACE + "c")):
                    reference = cell.get("r")
                    cells[_column(reference) if reference else place] = _text(cell, shared)
                rows.append(cells)
    except (OSError, zipfile.BadZipFile, xml.ParseError, IndexError, ValueError) as error:
        raise error if isinstance(error, NotReadable) else NotReadable(f"{path}: no spreadsheet can be read from it: {error}")
    if not rows:
        raise NotReadable(f"{path}: its sheet is empty")
    names = rows[0]
    return [{name: cells.get(place, "") for place, name in names.items()} for cells in rows[1:] if any(cells.values())]


def merged(spreadsheet, metrics):
    """Rows of the spreadsheet with the metrics of the kernel of that name, in order; how many metrics found no kernel."""
    slowdowns = spreadsheet_rows(spreadsheet)
    with open(metrics, newline="") as file:
        measured = list(csv.DictReader(file))
    for rows, path, column in ((slowdowns, spreadsheet, "kShortName"), (measured, metrics, "Kernel Name")):
        if not rows or column not in rows[0]:
            raise NotReadable(f"{path}: it has no column {column}")
    out, place = [], 0
    for row in slowdowns:
        if place < len(measured) and row["kShortName"] == measured[place]["Kernel Name"]:
            out.append({**row, **measured[place]})
            place += 1
    return out, len(measured) - place
