"""The fields that each architecture reads are fields of transformers' own configuration class, or of a published config.json.

Needs transformers (pip install transformers). Exits 1 where an architecture's own file reads a field that neither its class nor
a config of published_shapes.json has, but those of UNCONFIRMED, 0 otherwise. What several architectures share (parts.cpp) is covered by the counts of recount.py.
"""

import json
import pathlib
import re
import sys

from transformers import __version__
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

ARCHITECTURES = pathlib.Path(__file__).resolve().parents[3] / "src/hugging_face/architectures"
UNCONFIRMED = {("bloom.cpp", "seq_length"), ("gemma.cpp", "hidden_activation"), ("nemotron_h.cpp", "attention_head_dim")}
SHAPES = pathlib.Path(__file__).with_name("published_shapes.json")


def fields_of(kind):
    config = CONFIG_MAPPING[kind]()
    parts = [config, *(getattr(config, name) for name in ("text_config",) if getattr(config, name, None) is not None)]
    names = set()
    for part in parts:
        names |= set(part.to_dict()) | set(getattr(part, "attribute_map", {})) | set(dir(part))
    return names


def published():
    """{model type: fields of published files}: some that the class of today lacks."""
    fields = {}
    for shape in json.loads(SHAPES.read_text()):
        for config in (shape["config"], shape["config"].get("text_config", {})):
            fields.setdefault(shape["config"]["model_type"], set()).update(config)
            fields.setdefault(config.get("model_type"), set()).update(config)
    return fields


def main():
    in_files = published()
    unknown = files = 0
    for file in sorted(ARCHITECTURES.glob("*.cpp")):
        text = file.read_text()
        kinds = re.search(r"model_types\[\] = \{([^}]*)\}", text)
        kinds = [kind for kind in re.findall(r'"(\w+)"', kinds.group(1)) if kind in CONFIG_MAPPING]
        read = set(re.findall(r'\bf\.\w+(?:<[^>]*>)?\("(\w+)"', text))
        known = set().union(*(fields_of(kind) | in_files.get(kind, set()) for kind in kinds)) if kinds else read
        files += 1
        for name in sorted(read - known):
            is_listed = (file.name, name) in UNCONFIRMED
            print(f"{file.name}: {name} is no field of {', '.join(kinds)}{' (known, neither confirmed nor refuted)' * is_listed}")
            unknown += not is_listed
    print(f"{files} architectures, {unknown} unknown fields (transformers {__version__})")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
