"""The language of sweep.toml from the command line: schema, presets, check.   usage: language_test.py ECHO_SWEEP"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

program = ""
sweeps = pathlib.Path(__file__).parents[2] / "sweeps"


def violations(schema, value, root, path="sweep"):
    """What of `value` the schema forbids; the keywords `echo-sweep schema` uses, and an error for any other."""
    known = {"$schema", "title", "description", "$defs", "$ref", "type", "additionalProperties", "required",
             "properties", "items", "enum", "const", "anyOf", "minimum", "maximum", "minItems", "maxItems", "pattern"}
    assert set(schema) <= known, set(schema) - known
    if "$ref" in schema:
        return violations(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, root, path)
    if "anyOf" in schema:
        return [] if any(not violations(one, value, root, path) for one in schema["anyOf"]) else [f"{path}: no form fits"]
    types = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    fits = [isinstance(value, types[t]) and (t == "boolean" or not isinstance(value, bool)) for t in wanted]
    if wanted and not any(fits):
        return [f"{path}: not {wanted}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: not in enum")
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: not {schema['const']}")
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{path}: out of range")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{path}: too few or too many")
        for i, one in enumerate(value):
            found += violations(schema.get("items", {}), one, root, f"{path}[{i}]")
    if isinstance(value, dict):
        found += [f"{path} lacks {key}" for key in schema.get("required", []) if key not in value]
        for key, one in value.items():
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
            found += [f"{path}.{key}: unknown"] if inner is False else violations(inner, one, root, f"{path}.{key}")
    return found


class Language(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words, code=0):
        done = subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config")})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def schema(self):
        return json.loads(self.run_program("schema"))

    def test_schema_accepts_the_sweeps_that_ship(self):
        schema = self.schema()
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        shipped = sorted(sweeps.glob("*.toml"))
        self.assertGreaterEqual(len(shipped), 3)
        for path in shipped:
            self.assertEqual(violations(schema, tomllib.loads(path.read_text()), schema), [], path.name)

    def test_schema_knows_presets_of_the_sweep_itself(self):
        schema = self.schema()
        for kind in ("models", "gpus", "clusters", "frameworks", "recipes"):
            sweep = {"space": {"tp": 1}, kind: {"mine": {"base": "one", "layers": 4}}}
            self.assertEqual(violations(schema, sweep, schema), [], kind)
            self.assertNotEqual(violations(schema, {**sweep, kind: {"mine": 4}}, schema), [], kind)

    def test_schema_marks_what_the_reader_refuses(self):
        schema = self.schema()
        good = tomllib.loads((sweeps / "two-budgets.toml").read_text())
        slips = [("space", "tpp", 1), ("space", "tp", 0), ("space", "recompute", "halves"), ("space", "zero", [4]),
                 ("space", "gpus", "auto"), ("space", "tp", {"pow2": [1]}), ("space", "sequence_parallel", 1),
                 ("search", "strategy", "halving"), ("run", "budgte", "1 h"), ("simulate", "skew", {"sigma": "2 %"}),
                 ("target", "tokens", 1e12), ("output", "file", 3)]
        for section, key, value in slips:
            sweep = {**good, section: {**good.get(section, {}), key: value}}
            self.assertEqual(len(violations(schema, sweep, schema)), 1, (section, key, value))
        for name, entry in [("keep", {"name": "x"}), ("limit", {"metric": "mem_peek", "max": 1}),
                            ("objective", {"metric": "mfu", "goal": "most"}), ("reliability", {})]:
            self.assertNotEqual(violations(schema, {**good, name: [entry]}, schema), [], name)
        self.assertNotEqual(violations(schema, {"name": "no space"}, schema), [])

    def test_schema_holds_every_axis(self):
        schema = self.schema()
        axes = set(schema["$defs"])
        self.assertTrue({"model", "tp", "layer_split", "nccl_version"} <= axes)
        space = schema["properties"]["space"]["properties"]
        group = space["group"]["items"]["properties"]
        for where in (space, space["paired"]["properties"], group, group["paired"]["properties"]):
            self.assertTrue(axes <= set(where))

    def test_check_takes_the_sweeps_that_ship(self):
        for path in sorted(sweeps.glob("*.toml")):
            self.assertIn("ok, ", self.run_program("check", str(path)))

    def test_check_tells_problems_as_records(self):
        (self.folder / "site.toml").write_text('[[keep]]\nname = "k"\nexpr = "tp < \'x\'"\n')
        (self.folder / "bad.toml").write_text('include = ["site.toml"]\n[space]\nmodel = "gpt3-13b"\n'
                                              'cluster = "h800-96"\nglobal_batch = 64\nschedule = ["1f1b", "zb-h1x"]\n')
        told = json.loads(self.run_program("check", "bad.toml", "--json", code=2))
        self.assertEqual(told["exit_code"], 2)
        places = [(p["file"], p["line"], p["column"], p["length"]) for p in told["problems"]]
        self.assertEqual(places, [("bad.toml", 6, 22, 6), ("site.toml", 3, 12, 1)])
        self.assertIn('did you mean "zb-h1"?', told["problems"][0]["remedy"])

    def test_caret_stands_under_the_token_inside_a_string(self):
        (self.folder / "bad.toml").write_text('[space]\nmodel = "gpt3-13b"\ncluster = "h800-96"\nglobal_batch = 64\n'
                                              '[[keep]]\nname = "größer"\nexpr = "tp <= modle.heads"\n')
        done = subprocess.run([program, "check", "bad.toml"], cwd=self.folder, capture_output=True, text=True)
        lines = done.stderr.splitlines()
        self.assertEqual(lines[1].index("modle"), lines[2].index("^"), done.stderr)
        self.assertIn("^~~~~~~~~~~ did you mean", lines[2])

    def test_a_copied_preset_reads_once_its_source_is_filled_in(self):
        for kind, name in [("gpus", "h100-sxm"), ("clusters", "h800-96"), ("models", "gpt3-13b"), ("frameworks", "nemo"),
                           ("recipes", "nvidia-performance")]:
            text = self.run_program("presets", "new", kind, "mine", "--from", name)
            (self.folder / "lab" / kind).mkdir(parents=True)
            (self.folder / "lab" / kind / "mine.toml").write_text(text)
        self.run_program("presets", "list", "--preset-path", "lab", code=2)  # a source is empty
        for file in (self.folder / "lab").glob("*/mine.toml"):
            file.write_text(file.read_text().replace('source = ""', 'source = "our own"'))
        listed = json.loads(self.run_program("presets", "list", "--preset-path", "lab", "--json"))
        for kind in ("gpus", "clusters", "models", "frameworks", "recipes"):
            self.assertIn("mine", listed[kind])
        self.assertEqual(listed["search_path"][0], "lab")

    def test_presets_of_the_user_are_found_and_shown_with_their_file(self):
        folder = self.folder / "config" / "echo-sweep" / "models"
        folder.mkdir(parents=True)
        (folder / "mine.toml").write_text(
            self.run_program("presets", "new", "models", "mine", "--from", "gpt3-13b").replace('source = ""', 'source = "our own"'))
        shown = json.loads(self.run_program("presets", "show", "mine", "--json"))
        self.assertEqual(pathlib.Path(shown[0]["file"]), folder / "mine.toml")

    def test_recipes_are_listed_and_shown_with_the_source_of_each_value(self):
        listed = self.run_program("presets", "list", "recipes")
        self.assertIn("\n  nvidia-performance\n", listed)
        self.assertNotIn("megatron-core", listed)
        shown = self.run_program("presets", "show", "nvidia-performance")
        self.assertRegex(shown, r'overlap_tp += \{ value = true, source = "[^"]+"')
        self.assertIn("[choices]", self.run_program("presets", "new", "recipes", "mine"))
        (self.folder / "named.toml").write_text('[space]\nmodel = "gpt3-13b"\ncluster = "h800-96"\nglobal_batch = 64\n'
                                                'framework = "deepspeed"\nrecipe = "nvidia-performance"\n')
        told = subprocess.run([program, "check", "named.toml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(told.returncode, 2, told.stderr)
        self.assertIn("named.toml:6:11", told.stderr)
        self.assertIn("is for no framework here", told.stderr)

    def test_a_template_names_every_key_with_its_unit(self):
        text = self.run_program("presets", "new", "gpus", "mine")
        self.assertIn('memory = ""  # a size, such as "1 GiB"', text)
        self.assertIn('name = "mine"', text)
        self.assertIn("[peak_dense]", text)
        self.run_program("presets", "new", "kernels", "mine", code=2)

    def test_diff_shows_what_differs_with_units(self):
        rows = {row["field"]: row for row in json.loads(self.run_program("presets", "diff", "h100-sxm", "h200-sxm", "--json"))
                if row["kind"] == "gpus"}
        self.assertEqual(rows["memory_bandwidth"]["h200-sxm"], "4.8 TB/s")
        self.assertNotIn("sm_count", rows)
        self.assertIn("4.8 TB/s", self.run_program("presets", "diff", "h100-sxm", "h200-sxm"))
        self.run_program("presets", "diff", "h100-sxm", "gpt3-13b", code=2)


if __name__ == "__main__":
    program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
