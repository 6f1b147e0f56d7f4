"""Counts the parameters of published_shapes.json again with transformers' own models, built without memory for weights.

Needs transformers and torch (pip install transformers torch). Exits 1 where a count differs, 0 otherwise.
With --new CONFIG.json it prints the line of a further shape instead: --new CONFIG.json REPOSITORY.
"""

import argparse
import json
import os
import pathlib
import sys

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402

SHAPES = pathlib.Path(__file__).with_name("published_shapes.json")
CLASSES = {"kimi_k2": "deepseek_v3"}  # published with code of its own, a copy of DeepSeek-V3's


def count(config):
    """Parameters of the decoder with its output layer, tied tables once."""
    fields = dict(config.get("text_config") or config)
    if "tie_word_embeddings" in config:
        fields.setdefault("tie_word_embeddings", config["tie_word_embeddings"])
    kind = fields.pop("model_type")
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(CONFIG_MAPPING[CLASSES.get(kind, kind)](**fields))
    model.tie_weights()
    return sum({id(one): one.numel() for one in model.parameters()}.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--new", nargs=2, metavar=("CONFIG.json", "REPOSITORY"))
    options = parser.parse_args()
    if options.new:
        config = json.loads(pathlib.Path(options.new[0]).read_text())
        print(json.dumps({"repository": options.new[1], "parameters": count(config), "config": config}))
        return 0
    shapes = json.loads(SHAPES.read_text())
    different = 0
    for shape in shapes:
        counted = count(shape["config"])
        if counted != shape["parameters"]:
            print(f"{shape['repository']}: {shape['parameters']} in the file, {counted} counted")
            different += 1
    print(f"{len(shapes)} shapes, {different} differ (transformers {transformers.__version__})")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
