"""A user's script: the small Llama under DeepSpeed's ZeRO.   usage: with_deepspeed.py STAGE

Weights of ZeRO 3 are gathered when they are used, and freed: at this size its defaults would keep them all."""

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import deepspeed  # noqa: E402
from tiny_llama import Part, loss_of, tokens  # noqa: E402

stage = int(sys.argv[1])
settings = {"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": True}, "gradient_clipping": 1.0,
            "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "torch_adam": True}},
            "zero_optimization": {"stage": stage, "overlap_comm": True,
                              "stage3_max_reuse_distance": 0, "stage3_param_persistence_threshold": 0,
                              "stage3_max_live_parameters": 0, "stage3_prefetch_bucket_size": 0}}
deepspeed.init_distributed("nccl")
with deepspeed.zero.Init(config_dict_or_path=settings, enabled=stage == 3):
    model = Part()
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=settings)
for _ in range(4):
    ids = tokens()
    engine.backward(loss_of(engine(ids), ids))
    engine.step()
