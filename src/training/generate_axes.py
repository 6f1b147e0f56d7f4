"""What an axis is, from axes.toml:

  generate_axes.py AXES.toml FOLDER                  writes the C++ that is generated from it:
      FOLDER/training/axis_table.hpp      names, kinds and rules of the axes
      FOLDER/training/recipe_members.inc  members of training::Recipe
      FOLDER/training_axes.cpp            how a config holds the value of each
  generate_axes.py AXES.toml --refresh README.md     writes the table of axes between the page's two markers
"""

import pathlib
import sys
import tomllib

KINDS = ["preset", "word", "count", "level", "batch", "flag", "version", "layer_list", "words", "ratio"]
REQUIRED = {"name", "kind", "without", "stored", "long_name", "description"}
KEYS = REQUIRED | {"words", "enumerators", "same_as", "bits", "member", "type", "plain", "highest", "auto", "of_trace",
                   "of_layout", "decided", "first_is_none", "idle_unless", "idle_at_plain", "values", "meaning", "since",
                   "meanings", "enumerator"}
BEGIN = "<!-- axes: written by src/training/generate_axes.py -->"
END = "<!-- end of axes -->"


def read(path):
    """The axes in their order, `member` filled in, and the headers that their tables of words stand in."""
    with open(path, "rb") as file:
        page = tomllib.load(file)
    for axis in page["axis"]:
        if axis.get("name") != "gpus":  # a product of degrees: no member of its own
            axis.setdefault("member", f"recipe.{axis.get('name')}")
    return page["axis"], page.get("headers", [])


def is_owned_elsewhere(axis):
    """Whether its words are those of a C++ table."""
    return isinstance(axis.get("words"), str)


def holder_of(axis):
    holder = axis.get("member", "").partition(".")[0]
    return holder if holder in ("recipe", "fabric") else "config"


def problems(axes):
    """What is wrong with the page itself, as text."""
    seen = set()
    for axis in axes:
        name = axis.get("name", "(unnamed)")
        for key in sorted(REQUIRED - axis.keys()):
            yield f'axis "{name}" has no {key}'
        for key in sorted(axis.keys() - KEYS):
            yield f'axis "{name}" has an unknown key {key}'
        kind, words = axis.get("kind"), axis.get("words", [])
        if kind not in KINDS:
            yield f'axis "{name}": kind must be one of {", ".join(KINDS)}'
        if kind == "words" and not words or kind not in ("word", "words") and words:
            yield f'axis "{name}": words are for the kinds word and words'
        if holder_of(axis) == "recipe":
            if "plain" not in axis:
                yield f'axis "{name}" has no plain, the value its member of the recipe starts with'
            elif code_of(axis) is None:
                yield f'axis "{name}": plain is no value of it'
            if kind == "word" and "type" not in axis:
                yield f'axis "{name}" has no type, the enumeration of its words'
            if kind not in ("word", "words", "flag", "level", "ratio"):
                yield f'axis "{name}": no member of the recipe is of kind {kind}'
        if not is_owned_elsewhere(axis) and len(axis.get("enumerators", words)) != len(words):
            yield f'axis "{name}": one enumerator for each word'
        if is_owned_elsewhere(axis) and "values" not in axis:
            yield f'axis "{name}" has no values, which tell readers the words of its C++ table'
        if name in seen:
            yield f'axis "{name}" stands twice'
        seen.add(name)


def code_of(axis):
    """`plain` as the whole number that stands for it, or None; an enumerator stays what it is."""
    plain, words = axis["plain"], axis.get("words", [])
    if is_owned_elsewhere(axis):
        return plain if isinstance(plain, str) and plain.isidentifier() else None
    if axis["kind"] == "word":
        return words.index(plain) if plain in words else None
    if axis["kind"] == "words":
        chosen = [] if plain == "none" else str(plain).split("+")
        return sum(1 << words.index(word) for word in chosen) if set(chosen) <= set(words) else None
    wanted = bool if axis["kind"] == "flag" else int
    return int(plain) if type(plain) is wanted else None


def highest_of(axis):
    words = axis.get("words", [])
    if is_owned_elsewhere(axis):
        return f"static_cast<std::int32_t>(std::size({words})) - 1"
    if axis["kind"] == "flag":
        return 1
    if axis["kind"] == "words":
        return (1 << len(words)) - 1
    if axis["kind"] == "word" and words:
        return len(words) - 1
    return axis.get("highest", 2**31 - 1)


def enumerators_of(axis):
    words = [] if is_owned_elsewhere(axis) else axis.get("words", [])
    return axis.get("enumerators") or [word.replace("-", "_") for word in words]


def enumerator_of(axis):
    return axis.get("enumerator", axis["name"])


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def flag(axis, key):
    return "true" if axis.get(key, False) else "false"


def table(axes, headers):
    lines = ["// Generated from src/training/axes.toml.", "#pragma once", "",
             *(f'#include "{header}"' for header in [*headers, "training/axis_info.hpp"]), "", "namespace echo::training {", "", "enum class Axis : std::int8_t {"]
    lines += [f"  {enumerator_of(axis)}," for axis in axes]
    lines += ["};", f"inline constexpr std::int32_t axis_count = {len(axes)};",
              "inline constexpr std::array<AxisInfo, axis_count> axis_table{{"]
    for axis in axes:
        needs = ", ".join(f"Condition::{condition}" for condition in axis.get("idle_unless", []))
        lines.append(
            f"    {{.axis = Axis::{enumerator_of(axis)}, .name = {quoted(axis['name'])}, .kind = AxisKind::{axis['kind']},\n"
            f"     .holder = AxisHolder::{holder_of(axis)}, .highest = {highest_of(axis)},\n"
            f"     .has_auto = {flag(axis, 'auto')}, .of_trace = {flag(axis, 'of_trace')}, "
            f".of_layout = {flag(axis, 'of_layout')},\n     .is_decided = {flag(axis, 'decided')}, .idle_at_plain = {flag(axis, 'idle_at_plain')},\n"
            f"     .needs = all_of({{{needs}}})}},")
    return "\n".join([*lines, "}};", "", "}  // namespace echo::training", ""])


def recipe(axes):
    lines = ["// Generated from src/training/axes.toml: members of training::Recipe."]
    for axis in axes:
        if holder_of(axis) != "recipe":
            continue
        kind, code = axis["kind"], code_of(axis)
        member = axis["member"].removeprefix("recipe.")
        if kind == "flag":
            declared = f"bool {member} = {'true' if code else 'false'};"
        elif kind == "word":
            enumerator = code if is_owned_elsewhere(axis) else enumerators_of(axis)[code]
            declared = f"{axis['type']} {member} = {axis['type']}::{enumerator};"
        else:
            declared = f"std::int32_t {member} = {code};"
        lines += [f"// {axis['long_name']}: {axis['description']}", declared]
    return "\n".join([*lines, ""])


def checks(axes):
    """Each enumeration has the enumerators of its words, in their order, and no others (-Wswitch)."""
    done = set()
    for axis in axes:
        name = axis.get("type") or axis.get("bits")
        if name is None or name in done or is_owned_elsewhere(axis):
            continue
        done.add(name)
        enumerators = enumerators_of(axis)[1 if axis.get("first_is_none") else 0:]
        yield f"[[maybe_unused]] constexpr std::int64_t place_of({name} value) {{"
        yield "  switch (value) {"
        for place, enumerator in enumerate(enumerators):
            code = 1 << place if "bits" in axis else place
            yield f"    case {name}::{enumerator}: return {code};"
        yield "  }"
        yield "  return -1;"
        yield "}"
        places = [1 << place if "bits" in axis else place for place in range(len(enumerators))]
        for place in places:
            yield (f"static_assert(place_of(static_cast<{name}>({place})) == {place}, "
                   f"\"{name} is not in the order of the words of '{axis['name']}'\");")


def members(axes):
    lines = ["// Generated from src/training/axes.toml.", '#include "training/axis.hpp"', "",
             '#include "training/axis_codes.hpp"', '#include "training/axis_values.hpp"', "", "namespace echo::training {",
             "namespace {", ""]
    for axis in axes:
        if axis.get("words") and not is_owned_elsewhere(axis):
            lines.append(f"constexpr std::string_view {axis['name']}_words[] = {{{', '.join(map(quoted, axis['words']))}}};")
        if "same_as" in axis:
            first = 1 if axis.get("first_is_none") else 0
            lines.append(f"static_assert(are_same(std::span({axis['name']}_words).subspan({first}), {axis['same_as']}), "
                         f"\"words of '{axis['name']}' and {axis['same_as']} differ\");")
    lines += [*checks(axes), "", "constexpr AxisMember table[] = {"]
    for axis in axes:
        words = axis["words"] if is_owned_elsewhere(axis) else f"{axis['name']}_words" if axis.get("words") else "{}"
        if "member" not in axis:
            lines.append(f"    {{{words}, nullptr, nullptr}},  // {axis['name']}")
            continue
        member = f"c.{axis['member']}"
        lines.append(f"    {{{words}, [](const TrainingConfig& c) {{ return code_of({member}); }},\n"
                     f"     [](TrainingConfig& c, std::int32_t code) {{ set_code({member}, code); }}}},")
    lines += ["};", "static_assert(std::size(table) == axis_count);", "", "}  // namespace", "",
              "const AxisMember& member_of(Axis axis) { return table[at(axis)]; }", "",
              "AxisValues values_of(const TrainingConfig& c) {", "  return {"]
    lines += [f"      code_of(c.{axis['member']})," if "member" in axis else f"      0,  // {axis['name']}" for axis in axes]
    lines += ["  };", "}", "", "}  // namespace echo::training", ""]
    return "\n".join(lines)


def values_text(axis):
    kind, top = axis["kind"], axis.get("highest")
    if "values" in axis:
        return axis["values"]
    if kind in ("word", "words"):
        some = " ".join(f"`{word}`" for word in axis.get("words", []))
        return f"some of {some}, joined by `+`" if kind == "words" else some or f"names of {axis['name']}s"
    return {"preset": "presets", "count": "whole, from 1", "batch": 'whole, or `"4 Mi tokens"`', "flag": "true, false",
            "version": '`"2.21.5"`', "layer_list": "`[5, 7]`", "level": "whole, " + (f"0 to {top}" if top else "from 0"),
            "ratio": f"0 to {(top or 0) // 1000}"}[kind]


def page(axes):
    """The table of axes in Markdown."""
    lines = ["| axis | values | without it | meaning |", "|---|---|---|---|"]
    for axis in axes:
        meaning = axis.get("meaning", axis["description"])
        lines.append("| " + " | ".join([f"`{axis['name']}`", values_text(axis), axis["without"], meaning]) + " |")
    return "\n".join(lines)


def refreshed(text, axes):
    """`text` with the table between its markers written anew."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the page lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n{page(axes)}\n{END}{after}"


def write(path, text):
    """Leaves a file that says so already alone: what includes it is not compiled again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(path, *rest):
    axes, headers = read(path)
    found = list(problems(axes))
    for problem in found:
        print(f"{path}: {problem}", file=sys.stderr)
    if found:
        return 1
    if rest[0] == "--refresh":
        readme = pathlib.Path(rest[1])
        write(readme, refreshed(readme.read_text(encoding="utf-8"), axes))
        return 0
    folder = pathlib.Path(rest[0])
    (folder / "training").mkdir(parents=True, exist_ok=True)
    for name, text in (("training/axis_table.hpp", table(axes, headers)), ("training/recipe_members.inc", recipe(axes)),
                       ("training_axes.cpp", members(axes))):
        write(folder / name, text)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
