"""Turns results_v1.toml into the C++ column table:  generate_columns.py SCHEMA.toml OUT.cpp

Every column is matched with its filler at compile time, in both directions: a column without an axis or a line in
src/results/write/fill.hpp, or a line without a column, is a static_assert that names it.

Columns of axes stand in src/training/axes.toml; the schema gives them their place, by `axis`, or by `axes` for all that
the recipe or the fabric holds. The version of the schema is that of the youngest axis or column, if higher than its own.
"""

import pathlib
import sys
import tomllib

AXES = pathlib.Path(__file__).resolve().parents[1] / "src/training/axes.toml"

TYPES = ["i1", "i2", "i4", "i8", "u8", "f4", "f8"]
ROLES = ["scale", "input", "outcome", "metric", "breakdown"]
TABLES = ["models", "clusters", "gpus", "frameworks", "recipes", "nics", "switches", "schedules", "limits", "rules"]
# Tables of words that the program owns, by number, and where they stand.
OWNERS = {"ops::nccl_algorithm_names": "ops/collective.hpp", "ops::generic_algorithm_names": "ops/generic_settings.hpp",
          "machine::topology_words": "machine/topology_words.hpp"}
KEYS = {"name", "type", "role", "units", "long_name", "description", "names", "dimension", "objective", "since"}
REQUIRED = KEYS - {"names", "dimension", "objective", "since"}
GROUP_KEYS = {"name", "description"}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def column_of(axis):
    """The column of an axis."""
    column = {"name": axis["name"], "type": axis["stored"], "role": "input", "units": "1",
              "long_name": axis["long_name"], "description": axis["description"]}
    names = {"preset": axis["name"] + "s", "flag": ["off", "on"], "word": axis.get("words", axis["name"] + "s")}
    names = axis.get("meanings", names.get(axis["kind"]))
    return column if names is None else {**column, "names": names}


def number_of(version):
    return [int(part) for part in version.split(".")]


def read(path):
    """The schema, with the columns of axes in their places."""
    with open(path, "rb") as file:
        schema = tomllib.load(file)
    with open(AXES, "rb") as file:
        axes = tomllib.load(file)["axis"]
    holders = {axis["name"]: axis.get("member", "recipe.").partition(".")[0] for axis in axes}
    single = {column["axis"] for column in schema["column"] if "axis" in column}
    columns = []
    for column in schema["column"]:
        if column.keys() == {"axis"}:
            columns += [column_of(axis) for axis in axes if axis["name"] == column["axis"]] or [column]
        elif column.keys() == {"axes"}:
            columns += [column_of(axis) for axis in axes
                        if holders[axis["name"]] == column["axes"] and axis["name"] not in single]
        else:
            columns.append(column)
    schema["column"] = columns
    younger = [entry["since"] for entry in [*axes, *columns] if "since" in entry]
    schema["version"] = max([schema["version"], *younger], key=number_of)
    return schema


def problems(schema):
    """What is wrong with the schema itself, as text."""
    seen = set()
    for column in schema["column"]:
        name = column.get("name", "(unnamed)")
        for key in sorted(REQUIRED - column.keys()):
            yield f'column "{name}" has no {key}'
        for key in sorted(column.keys() - KEYS):
            yield f'column "{name}" has an unknown key {key}'
        if column.get("type") not in TYPES:
            yield f'column "{name}": type must be one of {", ".join(TYPES)}'
        if column.get("role") not in ROLES:
            yield f'column "{name}": role must be one of {", ".join(ROLES)}'
        names = column.get("names")
        if isinstance(names, str) and names not in TABLES and names not in OWNERS:
            yield f'column "{name}": names must be a list, or one of {", ".join([*TABLES, *OWNERS])}'
        if names is not None and column.get("type") != "i1":
            yield f'column "{name}": coded columns are i1'
        if isinstance(names, list) and any(" " in word for word in names):
            yield f'column "{name}": a meaning holds a blank'
        if column.get("objective", "min") not in ("min", "max"):
            yield f'column "{name}": objective must be min or max'
        if name in seen:
            yield f'column "{name}" stands twice'
        seen.add(name)


    for group in schema["group"]:
        if group.keys() != GROUP_KEYS:
            yield f'group "{group.get("name", "(unnamed)")}" must have {" and ".join(sorted(GROUP_KEYS))}, nothing else'


def source(schema):
    lines = [
        "// Generated from hdf5_schemas/results_v1.toml.",
        '#include "results/columns.hpp"',
        "",
        *(f'#include "{header}"' for header in OWNERS.values()),
        '#include "results/write/fill.hpp"',
        "",
        "namespace echo::results {",
        "namespace {",
        "",
        "// Of literals, which end in a zero.",
        "template <std::size_t count>",
        "constexpr std::array<const char*, count> c_strings(const std::array<std::string_view, count>& words) {",
        "  std::array<const char*, count> out{};",
        "  for (std::size_t i = 0; i < count; ++i) out[i] = words[i].data();",
        "  return out;",
        "}",
        "",
    ]
    columns = schema["column"]
    for i, column in enumerate(columns):
        name = column["name"]
        lines.append(f'static_assert(has_filler("{name}"), "no line in results/write/fill.hpp fills \'{name}\'");')
        if isinstance(column.get("names"), list):
            words = ", ".join(quoted(word) for word in column["names"])
            lines.append(f"constexpr const char* meanings_{i}[] = {{{words}}};")
        elif column.get("names") in OWNERS:
            lines.append(f"constexpr auto meanings_{i} = c_strings({column['names']});")
    listed = ", ".join(quoted(column["name"]) for column in columns)
    lines += [
        f"constexpr std::string_view names[] = {{{listed}}};",
        'static_assert(all_fillers_are_among(names), "a line of results/write/fill.hpp fills no column of the schema");',
        "",
        "const Column table[] = {",
    ]
    for i, column in enumerate(columns):
        names = column.get("names")
        kind = "none" if names is None else "fixed" if isinstance(names, list) or names in OWNERS else names
        meanings = f"meanings_{i}" if kind == "fixed" else "{}"
        lines.append(
            f"    {{{quoted(column['name'])}, storage::ElementType::{column['type']}, Role::{column['role']},\n"
            f"     {quoted(column['units'])}, {quoted(column['long_name'])},\n"
            f"     {quoted(column['description'])},\n"
            f"     {quoted(column.get('dimension', ''))}, {quoted(column.get('objective', ''))}, Names::{kind}, "
            f"{meanings}, &fill::fillers[filler_of({quoted(column['name'])})]}},"
        )
    lines += ["};", "", "const Group groups[] = {"]
    for group in schema["group"]:
        lines.append(f"    {{{quoted('/' + group['name'])}, {quoted(group['description'])}}},")
    lines += [
        "};",
        "",
        "}  // namespace",
        "",
        f"const char* schema_version() {{ return {quoted(schema['version'])}; }}",
        "std::span<const Column> column_table() { return table; }",
        "std::span<const Group> group_table() { return groups; }",
        "",
        "}  // namespace echo::results",
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
        file.write(source(schema))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
