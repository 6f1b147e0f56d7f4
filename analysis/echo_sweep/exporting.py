"""Rows written for other programs: CSV as it is read everywhere, Parquet with types, words and units."""

import contextlib
import csv
import json
import os
import sys

import numpy as np

ROWS_AT_ONCE = 1 << 17  # of a Parquet row group, and what is held as Python values for CSV


def _values(rows, name):
    return rows.ids() if name == "config_id" else rows.column(name)


def _parts(rows):
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows.view(slice(start, start + ROWS_AT_ONCE))


@contextlib.contextmanager
def _whole_file(path):
    """The name of a file to write beside `path`, which takes its place once it is written whole."""
    beside = f"{path}.{os.getpid()}.part"
    try:
        yield beside
        os.replace(beside, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(beside)


def write_csv(rows, names, stream):
    """The columns `names`, in the units the file says; a missing number is "nan"."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    for part in _parts(rows):
        writer.writerows(zip(*(_values(part, name).tolist() for name in names)))


def _pyarrow():
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ValueError(f"Parquet needs pyarrow (pip install pyarrow): {error}") from None
    return pyarrow


def _field(pa, rows, name):
    """Type and description of a column; coded ones are dictionaries of their words."""
    if name == "config_id":
        return pa.field(name, pa.string(), False, {"long_name": "name of a config in every file"})
    column = rows.about(name)
    about = {"long_name": column.long_name, "units": column.units, "role": column.role, "objective": column.goal}
    kind = pa.dictionary(pa.int16(), pa.string()) if column.words else None
    if kind is None:
        kind = pa.string() if column.codes.dtype.kind in "OSU" else pa.from_numpy_dtype(column.codes.dtype)
    return pa.field(name, kind, True, {key: value for key, value in about.items() if value})


def _array(pa, rows, field):
    if not pa.types.is_dictionary(field.type):
        return pa.array(_values(rows, field.name), field.type)
    words = rows.about(field.name).words
    rows.column(field.name)  # says so where a code has no word
    codes = rows.about(field.name).codes[rows.places()]
    known = np.array(list(words))
    order = np.argsort(known)
    places = order[np.searchsorted(known, codes, sorter=order)].astype(np.int16)
    return pa.DictionaryArray.from_arrays(pa.array(places), pa.array(list(words.values())))


def write_parquet(rows, names, path):
    """One row group for every 131 072 rows. Fields carry long_name, units, role and objective; the schema what the
    result file says of itself (key echo_sweep, as JSON)."""
    pa = _pyarrow()
    facts = {key: value.item() if hasattr(value, "item") else value for key, value in rows.attributes.items()}
    schema = pa.schema([_field(pa, rows, name) for name in names], {"echo_sweep": json.dumps(facts, default=str)})
    with _whole_file(path) as beside, pa.parquet.ParquetWriter(beside, schema, compression="zstd") as writer:
        for part in _parts(rows):
            writer.write_table(pa.Table.from_arrays([_array(pa, part, field) for field in schema], schema=schema))


def export(rows, form="csv", output=None, names=None):
    """Writes `rows` as "csv" or "parquet" to the file `output`; CSV without one goes to standard output."""
    names = rows.names() if names is None else list(names)
    for name in names:
        if name != "config_id":
            rows.about(name)  # an unknown one is an error before anything is written
    if form == "parquet":
        if not output:
            raise ValueError("Parquet is written to a file: name it with -o")
        return write_parquet(rows, names, output)
    if not output:
        return write_csv(rows, names, sys.stdout)
    with _whole_file(output) as beside, open(beside, "w", encoding="utf-8", newline="") as stream:
        write_csv(rows, names, stream)
