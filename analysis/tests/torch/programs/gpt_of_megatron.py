"""A user's script: Megatron-Core's GPT model, schedules, DDP and optimizer, layers of PyTorch's own (no Transformer Engine,
no Apex), on request with tensors split along the sequence between products, or a mixture of experts in every layer."""

import argparse

import torch
import torch.distributed as dist
from megatron.core import parallel_state
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.models.gpt.gpt_model import GPTModel
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.tensor_parallel.random import model_parallel_cuda_manual_seed
from megatron.core.transformer.transformer_config import TransformerConfig

parser = argparse.ArgumentParser()
parser.add_argument("tensor", type=int)
parser.add_argument("pipeline", type=int)
parser.add_argument("--layers", type=int, default=4)
parser.add_argument("--microbatches", type=int, default=4)
parser.add_argument("--sequence-parallel", action="store_true")
parser.add_argument("--experts", type=int)
parser.add_argument("--expert-parallel", type=int, default=1)
given = parser.parse_args()
tensor, pipeline = given.tensor, given.pipeline
mixture = {"num_moe_experts": given.experts, "moe_router_topk": 2, "moe_ffn_hidden_size": 768, "moe_aux_loss_coeff": 0.0,
           "moe_router_load_balancing_type": "none", "moe_token_dispatcher_type": "alltoall",
           "expert_model_parallel_size": given.expert_parallel} if given.experts else {}
torch.cuda.set_device(0)
dist.init_process_group("nccl")
parallel_state.initialize_model_parallel(tensor_model_parallel_size=tensor, pipeline_model_parallel_size=pipeline,
                                         expert_model_parallel_size=given.expert_parallel)
model_parallel_cuda_manual_seed(1)
config = TransformerConfig(
    num_layers=given.layers, hidden_size=512, num_attention_heads=8, ffn_hidden_size=1536, tensor_model_parallel_size=tensor,
    pipeline_model_parallel_size=pipeline, bf16=True, params_dtype=torch.bfloat16, pipeline_dtype=torch.bfloat16,
    hidden_dropout=0.0, attention_dropout=0.0, gated_linear_unit=True, activation_func=torch.nn.functional.silu,
    add_bias_linear=False, gradient_accumulation_fusion=False, masked_softmax_fusion=False, bias_activation_fusion=False,
    bias_dropout_fusion=False, normalization="RMSNorm", sequence_parallel=given.sequence_parallel, **mixture)
model = GPTModel(
    config, get_gpt_layer_local_spec(num_experts=given.experts, normalization="RMSNorm"), vocab_size=2048,
    max_sequence_length=512, parallel_output=True,
    pre_process=parallel_state.is_pipeline_first_stage(), post_process=parallel_state.is_pipeline_last_stage(),
    share_embeddings_and_output_weights=False, position_embedding_type="rope").cuda()
model = DistributedDataParallel(config, DistributedDataParallelConfig(overlap_grad_reduce=True, grad_reduce_in_fp32=True), model)
optimizer = get_megatron_optimizer(OptimizerConfig(lr=1e-4, bf16=True, params_dtype=torch.bfloat16), [model])
config.finalize_model_grads_func, config.no_sync_func = finalize_model_grads, model.no_sync


def forward(data, model):
    ids, places = torch.randint(0, 2048, (2, 256)).cuda(), torch.arange(256).expand(2, -1).cuda()
    mask = torch.ones(1, 1, 256, 256, dtype=torch.bool).triu(1).cuda()
    return model(ids, places, mask, labels=ids), lambda loss: (loss.float().mean(), {"loss": loss})


for _ in range(3):
    model.zero_grad_buffer()
    optimizer.zero_grad()
    get_forward_backward_func()(forward_step_func=forward, data_iterator=iter(range(given.microbatches)), model=[model],
                                num_microbatches=given.microbatches, seq_length=256, micro_batch_size=2, forward_only=False)
    optimizer.step()
