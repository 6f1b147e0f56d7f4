"""Echo-slowdown's spreadsheet and metrics become its merged table."""

import csv
import io
import pathlib
import zipfile

import pytest
from echo_sweep import echo_slowdown
from echo_sweep.__main__ import main

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEADER = ["id", "kShortName", "ground_truth", "duration", "overlap_ratio", "slowdown"]


def cell(place, value, row):
    reference = f'{"ABCDEFGH"[place]}{row}'
    if isinstance(value, str):
        return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{reference}" t="n"><v>{value}</v></c>'


def spreadsheet(path, rows, shared=None, sheet=None):
    lines = "".join(f'<row r="{i}">' + "".join(cell(place, value, i) for place, value in enumerate(row)) + "</row>"
                    for i, row in enumerate([HEADER, *rows], 1))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", sheet or f"<worksheet {MAIN}><sheetData>{lines}</sheetData></worksheet>")
        if shared:
            archive.writestr("xl/sharedStrings.xml", f"<sst {MAIN}>{shared}</sst>")
    return path


@pytest.fixture
def metrics(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("ID,Kernel Name,Compute throughput,SM\n0,norm,36.48,108\n1,gemm,90.5,108\n2,lost,1,108\n")
    return path


def test_metrics_stand_beside_the_next_kernel_of_their_name(tmp_path, metrics, capsys):
    stats = spreadsheet(tmp_path / "stats.xlsx", [[1, "norm", 100, 130, 1.0, 0.3], [2, "copy", 5, 5, 0, 0],
                                                  [3, "gemm", 200, 210.5, 0.5, 0.105]])
    main(["merge", str(stats), str(metrics)])
    printed = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert [(row["kShortName"], row["duration"], row["Compute throughput"]) for row in rows] == \
        [("norm", "130", "36.48"), ("gemm", "210.5", "90.5")]
    assert list(rows[0])[:3] == HEADER[:3]
    assert "metrics of 1 kernels found no kernel" in printed.err


def test_shared_strings_and_missing_cells_are_read(tmp_path):
    sheet = (f'<worksheet {MAIN}><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
             '<row r="2"><c r="B2" t="s"><v>2</v></c></row><row r="3"/></sheetData></worksheet>')
    stats = spreadsheet(tmp_path / "stats.xlsx", [], sheet=sheet,
                        shared="<si><t>id</t></si><si><t>name</t></si><si><r><t>two </t></r><r><t>runs</t></r></si>")
    assert echo_slowdown.spreadsheet_rows(stats) == [{"id": "", "name": "two runs"}]


@pytest.mark.parametrize("damage", ["no zip", "no sheet", "no xml", "entities", "no such string", "other columns"])
def test_what_is_no_such_file_is_refused(tmp_path, metrics, damage, capsys):
    path = tmp_path / "stats.xlsx"
    if damage == "no zip":
        path.write_text("id,kShortName")
    elif damage == "no sheet":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("xl/styles.xml", "<a/>")
    elif damage == "other columns":
        spreadsheet(path, [], sheet=f'<worksheet {MAIN}><row r="1"><c r="A1"><v>1</v></c></row><row><c><v>2</v></c></row></worksheet>')
    else:
        sheet = {"no xml": "<worksheet", "entities": '<!DOCTYPE a [<!ENTITY b "c">]><a/>',
                 "no such string": f'<worksheet {MAIN}><row r="1"><c r="A1" t="s"><v>7</v></c></row></worksheet>'}[damage]
        spreadsheet(path, [], sheet=sheet)
    with pytest.raises(SystemExit) as stopped:
        main(["merge", str(path), str(metrics)])
    assert stopped.value.code == 2
    assert str(pathlib.Path(path).name) in capsys.readouterr().err
