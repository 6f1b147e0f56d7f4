"""presets new models NAME --from config.json, as a user meets it.   usage: hugging_face_test.py ECHO_SWEEP"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program_case import ProgramCase  # noqa: E402

SHAPES = json.loads((pathlib.Path(__file__).resolve().parents[1] / "unit/hugging_face/published_shapes.json").read_text())


def text_of(shape):
    return shape["config"].get("text_config", shape["config"])


class HuggingFaceTest(ProgramCase):
    def preset(self, config, name, code=0):
        (self.folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
        return self.run_program("presets", "new", "models", name, "--from", "config.json", code=code)

    def test_the_smallest_of_each_architecture_trains_in_a_sweep(self):
        smallest = {}
        for shape in SHAPES:
            kind = text_of(shape)["model_type"]
            smallest[kind] = min(shape, smallest.get(kind, shape), key=lambda one: one["parameters"])
        names = []
        (self.folder / "models").mkdir()
        for kind, shape in sorted(smallest.items()):
            name = kind.replace("_", "-") + "-mine"
            text = self.preset(shape["config"], name).stdout
            self.assertIn(f"# {shape['parameters']} parameters", text)
            (self.folder / "models" / f"{name}.toml").write_text(text)
            names.append(name)
        self.assertGreaterEqual(len(names), 30)
        (self.folder / "all.toml").write_text(f"""
[space]
model = {json.dumps(names)}
cluster = "dgx-h100-ndr400"
recipe = "nvidia-performance"
gpus = 16
tp = [1, 2]
pp = [1, 2]
seq_len = 1024
micro_batch = 1
zero = [0, 1, 3]
recompute = ["none", "selective", "full"]
global_batch = 32
""")
        self.run_program("all.toml", "--preset-path", ".", "--progress", "none", "-q", "--fresh")
        rows = self.run_program("export", "all.h5", "--columns", "model,status,step_time").stdout.splitlines()[1:]
        status = {}
        for row in rows:
            model, state, _ = row.split(",")
            status.setdefault(model, set()).add(state)
        self.assertEqual(set(status), set(names))
        self.assertFalse([model for model, states in status.items() if "failed" in states])
        too_large = {model for model, states in status.items() if "ok" not in states}
        self.assertLessEqual(too_large, {"kimi-k2-mine", "llama4-text-mine", "glm4-moe-mine", "deepseek-v3-mine"})

    def test_a_malformed_file_is_refused_with_its_place_and_nothing_is_printed(self):
        told = self.preset('{"model_type": "llama",\n "hidden_size": "wide",\n "num_hidden_layers": -1}', "mine", code=2)
        self.assertEqual(told.stdout, "")
        for words in ("config.json:2:3", "hidden_size is not a whole number", "config.json:3:3", "vocab_size is missing"):
            self.assertIn(words, told.stderr)
        self.assertIn("config.json:1:10: ", self.preset('{"a": 1, oops}', "mine", code=2).stderr)
        self.assertIn("is not known", self.preset({"model_type": "jamba", "attn_layer_period": 8}, "mine", code=2).stderr)
        self.run_program("presets", "new", "models", "mine", "--from", "none.json", code=2)
        self.run_program("presets", "new", "gpus", "mine", "--from", "config.json", code=2)

    def test_names_from_files_are_shown_without_control_characters(self):
        told = self.preset({"model_type": "\u001b[31mred", "\u001b[2J": 1}, "mine", code=2)
        self.assertNotIn("\x1b[31m", told.stderr)
        self.assertNotIn("\x1b[2J", told.stderr)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
