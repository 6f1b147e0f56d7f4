"""A user's script: a tiny Llama, Mixtral or GPT-2 of transformers under DDP.   usage: hugging_face.py llama|mixtral|gpt2"""

import os
import sys

import torch
import torch.distributed as dist
from transformers import (GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MixtralConfig, MixtralForCausalLM)

dist.init_process_group("cpu:gloo,cuda:nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
if sys.argv[1] == "llama":
    model = LlamaForCausalLM(LlamaConfig(hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
                                         num_key_value_heads=2, vocab_size=512))
elif sys.argv[1] == "mixtral":
    model = MixtralForCausalLM(MixtralConfig(hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
                                             num_key_value_heads=2, vocab_size=512, num_local_experts=4, num_experts_per_tok=2))
else:
    model = GPT2LMHeadModel(GPT2Config(n_embd=128, n_layer=2, n_head=4, vocab_size=512, bos_token_id=0, eos_token_id=0))
model = torch.nn.parallel.DistributedDataParallel(model.to(torch.bfloat16).cuda(), device_ids=[0])
model.train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(3):
    ids = torch.randint(0, 512, (2, 64)).cuda()
    loss = model(input_ids=ids, labels=ids, use_cache=False).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
