"""Turns profile_v1.toml into the C++ column table:  generate_profile_columns.py SCHEMA.toml OUT.cpp"""

import sys
import tomllib

from generate_columns import TYPES, quoted

ROLES = ["scale", "kernel", "measured"]
REQUIRED = {"name", "type", "role", "units", "long_name", "description"}


def problems(schema):
    """What is wrong with the schema itself, as text."""
    seen = set()
    for column in schema["column"]:
        name = column.get("name", "(unnamed)")
        for key in sorted(REQUIRED - column.keys()):
            yield f'column "{name}" has no {key}'
        for key in sorted(column.keys() - REQUIRED - {"names"}):
            yield f'column "{name}" has an unknown key {key}'
        if column.get("type") not in TYPES:
            yield f'column "{name}": type must be one of {", ".join(TYPES)}'
        if column.get("role") not in ROLES:
            yield f'column "{name}": role must be one of {", ".join(ROLES)}'
        names = column.get("names")
        if names is not None and names != "gpus" and not isinstance(names, list):
            yield f'column "{name}": names must be a list, or gpus'
        if names is not None and column.get("type") != "i1":
            yield f'column "{name}": coded columns are i1'
        if isinstance(names, list) and any(" " in word for word in names):
            yield f'column "{name}": a meaning holds a blank'
        if name in seen:
            yield f'column "{name}" stands twice'
        seen.add(name)


def source(schema):
    lines = [
        "// Generated from hdf5_schemas/profile_v1.toml.",
        '#include "storage/profile_columns.hpp"',
        "",
        "namespace echo::storage {",
        "namespace {",
        "",
    ]
    for i, column in enumerate(schema["column"]):
        if isinstance(column.get("names"), list):
            words = ", ".join(quoted(word) for word in column["names"])
            lines.append(f"constexpr std::string_view meanings_{i}[] = {{{words}}};")
    lines += ["const ProfileColumn table[] = {"]
    for i, column in enumerate(schema["column"]):
        names = column.get("names")
        meanings = f"meanings_{i}" if isinstance(names, list) else "{}"
        lines.append(
            f"    {{{quoted(column['name'])}, ElementType::{column['type']}, {quoted(column['role'])},\n"
            f"     {quoted(column['units'])}, {quoted(column['long_name'])},\n"
            f"     {quoted(column['description'])}, {meanings}}},"
        )
    group = schema["group"][0]
    lines += [
        "};",
        "",
        "}  // namespace",
        "",
        f"const char* profile_schema_version() {{ return {quoted(schema['version'])}; }}",
        f"const char* profile_origin_description() {{ return {quoted(group['description'])}; }}",
        "std::span<const ProfileColumn> profile_columns() { return table; }",
        "",
        "}  // namespace echo::storage",
        "",
    ]
    return "\n".join(lines)


def main(schema_path, out_path):
    with open(schema_path, "rb") as file:
        schema = tomllib.load(file)
    found = list(problems(schema))
    for problem in found:
        print(f"{schema_path}: {problem}", file=sys.stderr)
    if found:
        return 1
    with open(out_path, "w", encoding="utf-8") as file:
        file.write(source(schema))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
