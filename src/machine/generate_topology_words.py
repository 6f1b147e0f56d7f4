"""The words of the axis "topology", which are the files of topologies/ by their codes:

  generate_topology_words.py FOLDER OUT.hpp
"""

import pathlib
import re
import sys

CODE = re.compile(r"\.code = (\d+)")


def topology_words(folder):
    """["cluster", names by code]; ValueError where two files have one code, or a code has no file."""
    names = {0: "cluster"}
    for path in sorted(pathlib.Path(folder).glob("*.cpp")):
        found = CODE.search(path.read_text(encoding="utf-8"))
        if not found:
            continue  # of a cluster's own file alone
        code = int(found[1])
        if code in names:
            raise ValueError(f"{path}: code {code} is that of {names[code]}; take the next that is free")
        names[code] = path.stem
    for code in range(len(names)):
        if code not in names:
            raise ValueError(f"{folder}: no topology has code {code}; codes are never changed, and have no gaps")
    return [names[code] for code in sorted(names)]


def header(words):
    listed = ", ".join(f'"{word}"' for word in words)
    return f"""// Generated from src/machine/topologies.
#pragma once

#include <array>
#include <string_view>

namespace echo::machine {{

// What a sweep may name as the topology of its fabric, by Topology::code; 0: as the cluster's file says.
inline constexpr std::array<std::string_view, {len(words)}> topology_words{{{listed}}};

}}  // namespace echo::machine
"""


def main(folder, out):
    try:
        words = topology_words(folder)
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 1
    path = pathlib.Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header(words), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
