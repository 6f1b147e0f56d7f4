"""Launch files of random configs, read by the frameworks' own parsers (slow tier; no GPU).

    python3 tests/unit/launch_flags/framework_parsers.py build/release/bin/echo-sweep --venv FOLDER [--configs 40]
        [--source megatron-lm=FOLDER] [--source nanotron=FOLDER]

--venv makes a virtual environment, or takes the one that is there, and installs PINNED into it (3 GB, of which PyTorch is most).
Packages that compile for CUDA (STAND_INS) are replaced by empty modules: configs are read without them. Megatron-LM's arguments
are in no package (megatron-core holds megatron.core alone), and nanotron's package cannot be imported without flash-attn, so both
are read from a checkout (--source, of the version that the launch table names) and left out without one. NeMo's package
asks for a compiler and 5 GB of others before its first import: its recipes are not checked here.

A framework accepts a file where its parser takes every setting, under its name and with its type, and says the same value
again. What a launch file leaves to its user (data, steps, learning rates) is filled in by MISSING.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import types

PINNED = ["torch", "numpy", "pyyaml", "transformers", "datasets", "accelerate"]
WITHOUT_DEPENDENCIES = ["torchtitan==0.2.2", "megatron-core==0.16.1", "megatron-bridge==0.3.1"]
SMALL_ONES = ["tyro", "dacite", "hjson", "psutil", "py-cpuinfo", "msgpack", "einops", "tomli", "docstring_parser", "typeguard", "shtab",
              "omegaconf", "antlr4-python3-runtime==4.9.3", "ninja", "six", "typing_extensions", "torchdata", "tensorboard"]
STAND_INS = ("transformer_engine", "transformer_engine_torch", "flash_attn", "nvidia_resiliency_ext", "modelopt", "mamba_ssm",
             "causal_conv1d")
FRAMEWORKS = ("megatron-lm", "megatron-bridge", "torchtitan", "deepspeed", "nanotron")
ENDINGS = {"megatron-lm": "sh", "megatron-bridge": "yaml", "torchtitan": "toml", "deepspeed": "json", "nanotron": "yaml"}
MODELS = {"torchtitan": '["llama3-8b", "llama3-70b", "llama3-405b", "qwen3-30b-a3b"]'}
PRESETS = {"megatron-lm": "megatron-core"}  # of [space] framework
SWEEP = """
[search]
strategy = "random"
points = {configs}
[space]
cluster = "dgx-h100-ndr400"
framework = "{framework}"
tp = [1, 2, 4, 8]
pp = [1, 2, 4]
cp = [1, 2]
dp = [1, 2, 8, 16]
micro_batch = [1, 2]
global_batch = [128, 256]
recompute = ["none", "selective", "full"]
precision = ["bf16", "fp8"]
zero = [0, 1, 2, 3]
sequence_parallel = [false, true]
[[space.group]]
model = {models}
seq_len = [4096, 8192]
{learned}"""
LEARNED = """[[space.group]]  # positions are learned, up to 2048
model = "gpt3-13b"
seq_len = 2048
"""


# --- the side of echo-sweep

def launch_files(program, framework, configs, folder):
    """Files of as many random configs as the framework can start; no settings are compared here."""
    sweep = folder / f"{framework}.toml"
    sweep.write_text(SWEEP.format(configs=configs, framework=PRESETS.get(framework, framework),
                                  models=MODELS.get(framework, '["llama3-8b", "qwen3-30b-a3b", "mixtral-8x7b"]'),
                                  learned="" if framework in MODELS else LEARNED))
    rows = sweep.with_suffix(".h5")
    done = subprocess.run([program, sweep, "-o", rows, "--fresh", "--progress", "none", "-q"], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    files = []
    table = subprocess.run([program, "export", rows, "--format", "csv"], capture_output=True, text=True, check=True).stdout
    for row, values in enumerate(csv.DictReader(table.splitlines())):
        if values["reason"] == "unsupported":
            continue
        file = folder / f"{framework}-{row}.{ENDINGS[framework]}"
        done = subprocess.run([program, "launch", rows, str(row), "--for", framework], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        file.write_text(done.stdout)
        files.append(file)
    return files


# --- the side of the frameworks: everything below runs in the virtual environment

class StandIns:
    """Empty modules for packages that compile for CUDA."""

    def find_spec(self, name, path=None, target=None):
        import importlib.machinery
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in STAND_INS else None

    def create_module(self, spec):
        from unittest import mock
        module = mock.MagicMock(name=spec.name)
        module.__spec__, module.__path__, module.__version__, module.__name__ = spec, [], "2.9.0", spec.name
        return module

    def exec_module(self, module):
        pass


def install_stand_ins(needed):
    import importlib.metadata
    import typing
    import typing_extensions
    if needed:
        sys.meta_path.insert(0, StandIns())
    said = importlib.metadata.version
    importlib.metadata.version = lambda name: "2.9.0" if name.replace("-", "_").split("[")[0] in STAND_INS else said(name)
    if not hasattr(typing, "override"):  # Megatron-LM asks for Python 3.12
        typing.override = typing_extensions.override


def settings_of(value, path=()):
    """(path, value) of every leaf of nested dicts; lists are leaves."""
    if not isinstance(value, dict):
        return [(path, value)]
    return [leaf for key, part in value.items() for leaf in settings_of(part, (*path, key))]


def plain(value):
    import enum
    return plain(value.name) if isinstance(value, enum.Enum) else str(value).lower().replace("torch.", "")


def find(parsed, path):
    for name in path:
        parsed = parsed[name] if isinstance(parsed, dict) else getattr(parsed, name)
    return parsed


def differences(parsed, settings, same=lambda a, b: plain(a) == plain(b)):
    """The settings that the parsed object lacks or has otherwise."""
    found = []
    for path, value in settings:
        try:
            has = find(parsed, path)
        except (AttributeError, KeyError):
            found.append(f"{'.'.join(path)}: no such setting")
            continue
        if not same(has, value):
            found.append(f"{'.'.join(path)}: {value!r} was read as {has!r}")
    return found


def megatron_lm(file):
    import megatron.training.arguments as arguments
    text = file.read_text().replace("\\\n", " ")
    environment, words = {}, []
    for line in text.splitlines():
        if line.startswith("export "):
            environment.update(one.split("=", 1) for one in shlex.split(line)[1:])
        if line.startswith("torchrun"):
            words = shlex.split(line)
    nodes, gpus = int(words[words.index("--nnodes") + 1]), int(words[words.index("--nproc-per-node") + 1])
    flags = words[words.index("pretrain_gpt.py") + 1:]
    os.environ.update(environment, WORLD_SIZE=str(nodes * gpus), RANK="0", LOCAL_RANK="0")
    parser = arguments.add_megatron_arguments(argparse.ArgumentParser(allow_abbrev=False))
    said = parser.parse_args(flags)
    found = []
    for action in parser._actions:  # a flag with a value says that value
        for flag in action.option_strings:
            if flag in flags and action.nargs is None and action.const is None:
                has, wanted = getattr(said, action.dest), flags[flags.index(flag) + 1]
                if plain(has) != plain(wanted) and float(has) != float(wanted):
                    found.append(f"{flag}: {wanted} was read as {has}")
    checkpoints = ["--ckpt-format", "fsdp_dtensor"] if "--use-megatron-fsdp" in flags else []
    sys.argv = ["pretrain_gpt.py", *flags, "--mock-data", "--train-iters", "1", "--lr", "1e-4", *checkpoints]
    import torch
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0)
    with contextlib.redirect_stdout(io.StringIO()):
        arguments.validate_args(arguments.parse_args(), {})
    return found


def torchtitan(file):
    import tomli
    from torchtitan.config import ConfigManager
    from torchtitan.protocols.train_spec import get_train_spec
    settings = tomli.loads(file.read_text())
    config = ConfigManager().parse_args([f"--job.config_file={file}"])
    found = differences(config, settings_of(settings))
    model = settings["model"]
    if model["flavor"] not in get_train_spec(model["name"]).model_args:
        found.append(f"model.flavor: {model['name']} has no {model['flavor']}")
    return found


class Recording(dict):
    """Remembers which keys were asked for."""

    def __init__(self, values):
        super().__init__(values)
        self.asked = set()

    def get(self, key, otherwise=None):
        self.asked.add(key)
        return super().get(key, otherwise)

    def __getitem__(self, key):
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key):
        self.asked.add(key)
        return super().__contains__(key)

    def keys(self):
        return super().keys()


def deepspeed(file):
    from unittest import mock
    from deepspeed.runtime.config import DeepSpeedConfig
    settings = json.loads(file.read_text())
    settings.pop("_comment", None)
    ranks = settings["train_batch_size"] // settings["train_micro_batch_size_per_gpu"] // settings["gradient_accumulation_steps"]
    asked = Recording(settings)
    ranks_of_data = mock.Mock(spec=["get_data_parallel_world_size", "get_sequence_parallel_world_size"])
    ranks_of_data.get_data_parallel_world_size.return_value = ranks
    ranks_of_data.get_sequence_parallel_world_size.return_value = 1
    with mock.patch("deepspeed.comm.get_rank", return_value=0), mock.patch("deepspeed.comm.get_world_size", return_value=ranks):
        config = DeepSpeedConfig(asked, mpu=ranks_of_data)
    found = [f"{key}: nothing reads it" for key in settings if key not in asked.asked]
    zero = settings.get("zero_optimization", {})
    return found + differences(config.zero_config, [(("stage",), zero["stage"])] if "stage" in zero else [])


MISSING = {  # of nanotron: what a launch file leaves to its user
    "general": {"project": "test"},
    "tokens": {"train_steps": 1},
    "model": {"init_method": {"std": 0.02}, "model_config": {"bos_token_id": 1, "eos_token_id": 2, "is_llama_config": True}},
    "optimizer": {"weight_decay": 0.1, "optimizer_factory": {"name": "adamW", "adam_eps": 1e-8, "adam_beta1": 0.9, "adam_beta2": 0.95,
                                                             "torch_adam_is_fused": True},
                  "learning_rate_scheduler": {"learning_rate": 3e-4, "lr_warmup_steps": 1, "lr_warmup_style": "linear",
                                              "lr_decay_style": "cosine", "min_decay_lr": 1e-5}},
}


def with_missing(settings, missing):
    out = dict(missing)
    for key, value in settings.items():
        out[key] = with_missing(value, missing.get(key, {})) if isinstance(value, dict) else value
    return out


def nanotron(file):
    import yaml
    from nanotron.config import get_config_from_dict
    settings = yaml.safe_load(file.read_text())
    config = get_config_from_dict(with_missing(settings, MISSING))
    return differences(config, settings_of(settings), lambda a, b: plain(a) == plain(b) or
                       {plain(a), plain(b)} <= {"1f1b", "onefoneb", "oneforwardonebackwardpipelineengine"} or
                       type(a).__name__.lower().startswith("oneforward"))


def megatron_bridge(file):
    """The fields of the ConfigContainer's parts, which Bridge overrides from YAML by name."""
    import yaml
    from megatron.bridge.models.gpt_provider import GPTModelProvider
    from megatron.bridge.peft.lora import LoRA
    from megatron.bridge.training.comm_overlap import CommOverlapConfig
    from megatron.bridge.training.config import DistributedDataParallelConfig, OptimizerConfig, TokenizerConfig, TrainingConfig
    from megatron.bridge.training.mixed_precision import MixedPrecisionConfig
    parts = {"model": GPTModelProvider, "peft": LoRA, "comm_overlap": CommOverlapConfig, "ddp": DistributedDataParallelConfig,
             "optimizer": OptimizerConfig, "tokenizer": TokenizerConfig, "train": TrainingConfig, "mixed_precision": MixedPrecisionConfig}
    found = []
    for (part, *path), value in settings_of(yaml.safe_load(file.read_text())):
        fields = getattr(parts.get(part), "__dataclass_fields__", {})
        if not path or path[0] not in fields:
            found.append(f"{'.'.join([part, *path])}: no such setting")
    return found


PARSERS = {"megatron-lm": megatron_lm, "megatron-bridge": megatron_bridge, "torchtitan": torchtitan, "deepspeed": deepspeed,
           "nanotron": nanotron}


def parse(framework, files):
    import collections
    install_stand_ins(framework in ("megatron-bridge", "nanotron"))
    problems = collections.Counter()
    environment = dict(os.environ)
    for file in files:
        os.environ.clear()
        os.environ.update(environment)
        try:
            problems.update(PARSERS[framework](file))
        except (Exception, SystemExit) as error:  # noqa: B014 - whatever the framework says of the file
            problems[f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"] += 1
            if os.environ.get("ECHO_TRACEBACK"):
                raise
    for what, count in problems.most_common():
        print(f"  {count} of {len(files)} files: {what}")
    return 1 if problems else 0


# --- both

def virtual_environment(folder):
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "-q"]
        subprocess.run([*install, *PINNED, "wheel", "setuptools<82"], check=True)
        subprocess.run([*install, "--no-deps", *WITHOUT_DEPENDENCIES, *SMALL_ONES], check=True)
        subprocess.run([*install, "--no-deps", "--no-build-isolation", "deepspeed==0.19.8"], check=True,
                       env={**os.environ, "DS_BUILD_OPS": "0"})
    return python


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program")
    options.add_argument("--venv", type=pathlib.Path)
    options.add_argument("--configs", type=int, default=40)
    options.add_argument("--source", action="append", default=[], metavar="FRAMEWORK=FOLDER")
    options.add_argument("--only", choices=FRAMEWORKS, action="append")
    options = options.parse_args()
    python = virtual_environment(options.venv)
    sources = dict(one.split("=", 1) for one in options.source)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for framework in options.only or FRAMEWORKS:
            if framework in ("megatron-lm", "nanotron") and framework not in sources:
                print(f"{framework}: no --source, left out")
                continue
            files = launch_files(options.program, framework, options.configs, pathlib.Path(folder))
            path = os.pathsep.join(filter(None, [sources.get(framework), os.environ.get("PYTHONPATH")]))
            done = subprocess.run([python, __file__, "parse", framework, *files], env={**os.environ, "PYTHONPATH": path},
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if "ECHO_TRACEBACK" not in os.environ else None,
                                  text=True)
            print(f"{framework}: {len(files)} files, {'as it reads them' if done.returncode == 0 else 'REFUSED'}")
            print("".join(line + "\n" for line in done.stdout.splitlines() if line.startswith("  ")), end="")
            failed = failed or done.returncode
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["parse"]:
        sys.exit(parse(sys.argv[2], [pathlib.Path(name) for name in sys.argv[3:]]))
    sys.exit(main())
