"""Turns the schema of a table (profile_v1.toml, overlap_v1.toml) into C++:  generate_table.py SCHEMA.toml OUT.cpp"""

import pathlib
import sys
import tomllib

from generate_columns import TYPES, quoted

KEYS = {"schema", "version", "noun", "made_by", "most_rows", "column", "group"}
ROLES = ["scale", "kernel", "metric", "communication", "measured"]
REQUIRED = {"name", "type", "role", "units", "long_name", "description"}
GROUP_KEYS = {"name", "description", "texts"}


def read(path):
    """The schema, with the columns that it takes from another schema (`from`: its file; `role`: which) in their place."""
    with open(path, "rb") as file:
        schema = tomllib.load(file)
    columns = []
    for column in schema["column"]:
        if "from" not in column:
            columns.append(column)
            continue
        with open(pathlib.Path(path).parent / column["from"], "rb") as file:
            others = tomllib.load(file)["column"]
        columns += [other for other in others if other["role"] == column["role"]]
    schema["column"] = columns
    return schema


def problems(schema):
    """What is wrong with the schema itself, as text."""
    if schema.keys() != KEYS:
        yield f"the schema must have {', '.join(sorted(KEYS))}, nothing else"
    groups = {group.get("name") for group in schema.get("group", [])}
    seen = set()
    for column in schema["column"]:
        name = column.get("name", "(unnamed)")
        for key in sorted(REQUIRED - column.keys()):
            yield f'column "{name}" has no {key}'
        for key in sorted(column.keys() - REQUIRED - {"names", "index"}):
            yield f'column "{name}" has an unknown key {key}'
        if column.get("type") not in TYPES:
            yield f'column "{name}": type must be one of {", ".join(TYPES)}'
        if column.get("role") not in ROLES:
            yield f'column "{name}": role must be one of {", ".join(ROLES)}'
        names = column.get("names")
        if names is not None and names != "file" and not isinstance(names, list):
            yield f'column "{name}": names must be a list, or file'
        if names is not None and column.get("type") != "i1":
            yield f'column "{name}": coded columns are i1'
        if isinstance(names, list) and any(" " in word for word in names):
            yield f'column "{name}": a meaning holds a blank'
        if column.get("index", next(iter(groups), None)) not in groups:
            yield f'column "{name}": index must name a group'
        if name in seen:
            yield f'column "{name}" stands twice'
        seen.add(name)
    for group in schema["group"]:
        if group.keys() != GROUP_KEYS:
            yield f'group "{group.get("name", "(unnamed)")}" must have {", ".join(sorted(GROUP_KEYS))}, nothing else'


def words(values):
    return ", ".join(quoted(value) for value in values)


def source(schema, path):
    lines = [
        f"// Generated from hdf5_schemas/{path.name}.",
        '#include "storage/table_schema.hpp"',
        "",
        "namespace echo::storage {",
        "namespace {",
        "",
    ]
    for i, column in enumerate(schema["column"]):
        if isinstance(column.get("names"), list):
            lines.append(f"constexpr std::string_view meanings_{i}[] = {{{words(column['names'])}}};")
    lines += ["constexpr TableColumn columns[] = {"]
    for i, column in enumerate(schema["column"]):
        names = column.get("names")
        meanings = f"meanings_{i}" if isinstance(names, list) else "{}"
        lines.append(
            f"    {{{quoted(column['name'])}, ElementType::{column['type']}, {quoted(column['role'])},\n"
            f"     {quoted(column['units'])}, {quoted(column['long_name'])},\n"
            f"     {quoted(column['description'])}, {meanings}, {'true' if names == 'file' else 'false'},\n"
            f"     {quoted(column.get('index', ''))}}},"
        )
    lines += ["};"]
    for i, group in enumerate(schema["group"]):
        lines.append(f"constexpr std::string_view texts_{i}[] = {{{words(group['texts'])}}};")
    lines += ["constexpr TextGroup groups[] = {"]
    for i, group in enumerate(schema["group"]):
        lines.append(f"    {{{quoted(group['name'])}, {quoted(group['description'])}, texts_{i}}},")
    lines += [
        "};",
        f"constexpr TableSchema schema{{{words(schema[key] for key in ('schema', 'version', 'noun', 'made_by'))},",
        f"                             {schema['most_rows']}, columns, groups}};",
        "",
        "}  // namespace",
        "",
        f"const TableSchema& {path.name.split('_')[0]}_schema() {{ return schema; }}",
        "",
        "}  // namespace echo::storage",
        "",
    ]
    return "\n".join(lines)


def main(schema_path, out_path):
    schema = read(schema_path)
    found = list(problems(schema))
    for problem in found:
        print(f"{schema_path}: {problem}", file=sys.stderr)
    if found:
        return 1
    with open(out_path, "w", encoding="utf-8") as file:
        file.write(source(schema, pathlib.Path(schema_path)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
