#include "training/feasibility.hpp"

#include <algorithm>
#include <span>

#include "training/layout/expert_load.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::training {

namespace {

struct Rule {
  bool holds;
  const char* otherwise;
};

const char* first_broken(std::span<const Rule> rules) {
  for (const Rule& rule : rules)
    if (!rule.holds) return rule.otherwise;
  return nullptr;
}

bool shards_weights(const TrainingConfig& c) {
  return c.zero == ZeroStage::parameters && c.degrees.data * c.degrees.context > 1;
}

// Source: Megatron-LM megatron/training/arguments.py, core/transformer/multi_token_prediction.py.
const char* broken_prediction_rule(const TrainingConfig& c, const ModelSpec& m) {
  const Recipe& r = c.recipe;
  if (r.mtp_layers == 0) return nullptr;
  const Rule rules[] = {
      {m.positions == Positions::rope, "multi-token prediction needs rotary positions"},
      {m.hidden % c.degrees.tensor == 0,
       "tensor degree must divide the hidden width of multi-token prediction"},
      {c.recompute != Recompute::full || r.recompute_method != RecomputeMethod::uniform ||
           r.recompute_layers <= 1,
       "units of several recomputed layers do not come with multi-token prediction"},
      {!shards_weights(c), "multi-token prediction with sharded weights (ZeRO-3) is not simulated yet"},
  };
  return first_broken(rules);
}

// Source: Megatron-LM megatron/core/parallel_state.py, transformer/transformer_config.py, moe/moe_layer.py.
const char* broken_expert_rule(const TrainingConfig& c, const ModelSpec& m) {
  const Degrees& d = c.degrees;
  const Recipe& r = c.recipe;
  if (!m.has_experts())
    return d.expert == 1 && d.expert_tensor == 1 ? nullptr
                                                 : "expert parallelism needs a mixture-of-experts model";
  const std::int32_t ranks = d.tensor * d.context * d.data, grid = d.expert * d.expert_tensor;
  const std::int32_t instances = c.zero_group > 0 ? d.data * d.context / c.zero_group : 1;
  const Rule rules[] = {
      {ranks % grid == 0, "ep * etp must divide tp * cp * dp"},
      {m.experts % d.expert == 0, "expert degree must divide the experts"},
      {m.expert_ffn_hidden % d.expert_tensor == 0,
       "expert-tensor degree must divide the experts' feed-forward width"},
      {m.shared_expert_hidden % d.tensor == 0, "tensor degree must divide the shared experts' width"},
      {d.tensor == 1 || c.sequence_parallel,
       "mixtures of experts under tensor parallelism need sequence parallelism"},
      {r.imbalance_permille == 0 || r.imbalance_permille <= 1000.0 * greatest_imbalance(m),
       "experts' loads cannot vary that much"},
      {ranks % grid != 0 || ranks / grid % instances == 0,
       "shard groups must divide the experts' data-parallel ranks as well"},
  };
  return first_broken(rules);
}

// Source: Transformer Engine context_parallel.py (attn_forward_func_with_cp and the classes it calls).
const char* broken_context_rule(const TrainingConfig& c, const ModelSpec& m,
                                const machine::ClusterSpec& cluster) {
  const Degrees& d = c.degrees;
  if (d.context == 1) return nullptr;
  const std::int32_t inner = context_inner_ranks(c, cluster);
  const bool passes_round = c.recipe.cp_comm != ContextComm::all_gather && inner < d.context;
  const LocalAttention& local = m.local;
  const bool looks_near = local.span > 0 && local.span < c.batch.sequence_tokens;
  const Rule rules[] = {
      {c.flash_attention, "context parallelism needs fused attention"},
      {c.batch.sequence_tokens % (2 * d.context) == 0,
       "context parallelism needs a sequence of 2 * cp equal pieces"},
      {d.context % inner == 0, "cp_inner must divide the context degree"},
      {m.heads / d.tensor % inner == 0 && std::max(1, m.kv_heads / d.tensor) % inner == 0,
       "all-to-all context parallelism needs query and key-value heads per tensor rank that its group "
       "divides"},
      {!looks_near || !passes_round, "windowed attention cannot go round a ring; use all_gather or a2a"},
      {!looks_near || !local.chunked || inner == d.context,
       "chunked attention needs the whole sequence on a rank; use a2a"},
      {!m.attention_sinks || inner == d.context, "attention sinks under context parallelism need a2a"},
  };
  return first_broken(rules);
}

// Graphs of the passes of layers, or of the whole iteration, as Megatron-LM captures them. Dropless experts
// have no fixed shapes, but graphs of the iteration hold buffers for 1.5 times the mean load (Megatron Core
// 0.18: cuda_graph_impl full_iteration, moe_paged_stash; Megatron-Bridge v0.5.0 set_full_iter_cg_configs).
// Source: megatron/core/transformer/transformer_config.py, distributed/fsdp/mcore_fsdp_adapter.py.
const char* broken_graph_rule(const TrainingConfig& c) {
  if (!c.recipe.cuda_graphs) return nullptr;
  const Rule rules[] = {
      {c.recompute != Recompute::full, "CUDA graphs of a layer cannot hold its full recomputation"},
      {c.zero < ZeroStage::parameters, "CUDA graphs of a layer need weights that stay in place"},
      {c.recipe.offload_layers == 0, "CUDA graphs cannot hold activations that leave for host memory"},
  };
  return first_broken(rules);
}

// Source: Transformer Engine 2.14 pytorch/ops/fused/forward_grouped_mlp.py (is_supported,
// fuse_grouped_mlp_ops), Megatron-LM 0.18 core/transformer/moe/experts.py (_is_fused_impl_supported).
const char* broken_fused_expert_rule(const TrainingConfig& c, const ModelSpec& m,
                                     const machine::GpuSpec& gpu) {
  if (!c.recipe.fused_grouped_mlp || !m.has_experts()) return nullptr;
  const Rule rules[] = {
      {gpu.compute_capability / 10 == 10, "fused experts need a Blackwell GPU"},
      {c.precision == Precision::mxfp8, "fused experts need mxfp8"},
      {c.degrees.expert_tensor == 1, "fused experts cannot be split: etp 1"},
      {m.gated_ffn, "fused experts need a gated activation"},
  };
  return first_broken(rules);
}

// Sources: DeepSpeed docs, offload_optimizer ("valid for ZeRO stages 1, 2, 3"); Megatron-LM
// core/transformer/transformer_config.py (cpu_offloading).
const char* broken_offload_rule(const TrainingConfig& c, const ModelSpec& m,
                                const machine::ClusterSpec& cluster, const machine::GpuSpec& gpu) {
  const Recipe& r = c.recipe;
  const bool offloads = r.offload_optimizer || r.offload_layers > 0;
  const Rule rules[] = {
      {!r.offload_optimizer || c.zero >= ZeroStage::optimizer || c.degrees.data * c.degrees.context == 1,
       "an optimizer in host memory needs sharded optimizer states (ZeRO-1 or more)"},
      {r.offload_layers < m.layers, "activations of all layers but one can wait in host memory at most"},
      {r.offload_layers == 0 || c.degrees.pipeline == 1,
       "activations do not wait in host memory under pipeline parallelism"},
      {r.offload_layers == 0 || c.recompute == Recompute::none,
       "activations that are recomputed do not wait in host memory"},
      {!offloads || (gpu.host_link.value > 0 && cluster.host_memory.value > 0),
       "the catalog does not say how fast the GPU's link to its host and the host's memory are"},
  };
  return first_broken(rules);
}

// Source: Megatron-LM core/ssm/{mamba_mixer,mamba_context_parallel}.py.
const char* broken_mamba_rule(const TrainingConfig& c, const ModelSpec& m) {
  const Mamba& x = m.mamba;
  if (x.heads == 0) return nullptr;
  const std::int32_t t = c.degrees.tensor, cp = c.degrees.context, groups = std::max(1, x.groups / t);
  const Rule rules[] = {
      {x.heads % t == 0, "tensor degree must divide the Mamba heads"},
      {x.groups % t == 0, "tensor degree must divide the Mamba groups"},
      {x.heads / t % cp == 0, "tensor times context degree must divide the Mamba heads"},
      {groups % cp == 0 || cp % groups == 0,
       "context degree must divide the Mamba groups of a tensor rank, or be a multiple of them"},
  };
  return first_broken(rules);
}

// Source: Transformer Engine pytorch/utils.py (assert_dim_for_fp8_exec), csrc/quantizer.cpp: whole blocks
// both ways.
const char* broken_format_rule(const TrainingConfig& c, const ModelSpec& m) {
  if (!machine::is_narrow(c.precision)) return nullptr;
  const std::int32_t t = c.degrees.tensor;
  const std::int32_t width = c.precision == Precision::mxfp8 ? 32 : 16;
  const std::int32_t tokens = c.precision == Precision::mxfp8 ? 32 : c.precision == Precision::nvfp4 ? 16 : 8;
  const Rule rules[] = {
      {m.hidden % width == 0 && m.ffn_hidden / t % width == 0,
       "8-bit products need widths in whole blocks on every tensor rank"},
      {c.batch.sequence_tokens / c.degrees.context * c.batch.micro_samples / (c.sequence_parallel ? t : 1) %
               tokens ==
           0,
       "8-bit products need tokens in whole blocks on every rank"},
  };
  return first_broken(rules);
}

// The requirements of --overlap-moe-expert-parallel-comm; the schedule tests that a pipeline has virtual
// stages. Source: Megatron-LM megatron/core/transformer/transformer_config.py.
const char* broken_overlap_rule(const TrainingConfig& c, const ModelSpec& m) {
  if (!c.recipe.overlap_ep) return nullptr;
  const Rule rules[] = {
      {c.degrees.expert > 1, "all-to-alls beside another microbatch need expert parallelism"},
      {c.recompute != Recompute::full, "all-to-alls beside another microbatch forbid full recomputation"},
      {c.recompute != Recompute::selective || !c.recipe.recomputes(Module::moe),
       "all-to-alls beside another microbatch forbid recomputing mixtures"},
      {c.precision != Precision::fp32 && c.precision != Precision::tf32,
       "all-to-alls beside another microbatch need a 16-bit model"},
      {m.mamba.heads == 0, "all-to-alls beside another microbatch are for transformers"},
      {!c.recipe.overlaps_shared_experts || m.shared_expert_hidden == 0,
       "shared experts run beside their own all-to-alls or beside another microbatch, not both"},
      {c.recipe.mtp_layers <= 1,
       "all-to-alls beside another microbatch allow one layer of multi-token prediction"},
      {c.recipe.offload_layers == 0,
       "all-to-alls beside another microbatch with offloaded activations are not simulated yet"},
      {c.zero < ZeroStage::gradients,
       "all-to-alls beside another microbatch with sharded gradients are not simulated yet"},
  };
  return first_broken(rules);
}

// Source: Megatron-LM megatron/core/transformer/transformer_config.py.
const char* broken_recompute_rule(const TrainingConfig& c, const ModelSpec& m) {
  const Recipe& r = c.recipe;
  const std::int32_t deepest_chunk = (m.layers + chunks_of(c) - 1) / chunks_of(c);
  const bool is_full = c.recompute == Recompute::full, selects = c.recompute == Recompute::selective;
  const bool forms_outputs_again = r.recomputes(Module::moe_act) || r.recomputes(Module::layernorm);
  const Rule rules[] = {
      {!is_full || r.recompute_layers <= deepest_chunk, "more recomputed layers than a pipeline chunk holds"},
      {!is_full || r.recompute_method != RecomputeMethod::uniform || r.recompute_layers <= 1 ||
           !shards_weights(c),
       "units of several recomputed layers do not come with sharded weights (ZeRO-3)"},
      {c.recompute != Recompute::per_op || m.mamba.heads == 0,
       "per-op recomputation of Mamba layers is not simulated yet"},
      {!selects || !r.recomputes(Module::mla_up_proj) || m.has_latent_attention(),
       "recomputing latent up-projections needs latent attention"},
      {!selects || !r.recomputes(Module::shared_experts) || !r.overlaps_shared_experts ||
           c.degrees.expert == 1 || m.shared_expert_hidden == 0,
       "shared experts beside the all-to-all cannot be recomputed by themselves"},
      {!selects || !forms_outputs_again || c.precision != Precision::fp8 ||
           r.fp8_recipe != Fp8Recipe::delayed,
       "delayed scales do not come with recomputed layer norms or expert activations"},
  };
  return first_broken(rules);
}

bool has_plain_layers(const ModelSpec& m) {
  return !m.has_experts() && !m.has_latent_attention() && m.layer_pattern.empty();
}

// Choices that a framework offers and this version does not simulate.
const char* not_simulated_yet(const TrainingConfig& c, const ModelSpec& m) {
  const Recipe& r = c.recipe;
  const bool casts_attention = r.fp8_attention && machine::is_narrow(c.precision);
  const Rule rules[] = {
      {r.packed_tokens == 0 || c.flash_attention, "packed documents need fused attention"},
      {r.packed_tokens == 0 || c.degrees.context == 1 || r.cp_comm == ContextComm::all_gather,
       "packed documents under context parallelism need gathered keys (cp_comm = \"all_gather\")"},
      {r.packed_tokens == 0 || m.layer_pattern.empty(),
       "packed documents in Mamba layers are not simulated yet"},
      {!casts_attention || c.flash_attention, "attention in 8 bit needs fused attention"},
      {!casts_attention || c.degrees.context == 1 || r.cp_comm != ContextComm::all_gather,
       "attention in 8 bit does not come with gathered keys and values"},
      {r.lora_rank == 0 || has_plain_layers(m),
       "adapters of mixtures, latent attention and Mamba layers are not simulated yet"},
      {r.lora_rank == 0 || r.mtp_layers == 0, "adapters beside multi-token prediction are not simulated yet"},
      {r.lora_rank == 0 || c.recompute != Recompute::per_op,
       "per-op recomputation of adapters is not simulated yet"},
  };
  return first_broken(rules);
}

}  // namespace

std::optional<Infeasible> check_feasible(const TrainingConfig& c, const ModelSpec& model,
                                         const FrameworkSpec& framework, const machine::ClusterSpec& cluster,
                                         const machine::GpuSpec& gpu) {
  const Degrees& d = c.degrees;
  const std::int32_t smallest =
      std::min({d.tensor, d.pipeline, d.data, d.context, d.expert, d.expert_tensor, d.virtual_stages,
                c.batch.global_samples, c.batch.micro_samples, c.batch.sequence_tokens});
  if (smallest < 1) return Infeasible{Reason::unsupported, "every degree and batch size is at least 1", 0.0};

  const std::int32_t gpus = gpus_of(d);
  const std::int32_t vocab_step = framework.pads_vocabulary ? 1 : d.tensor;
  const std::int32_t samples_per_round = d.data * c.batch.micro_samples;
  const Rule rules[] = {
      {c.named_recipe.is_none() || !framework.recipe_name.empty(), "the recipe is not for this framework"},
      {!model.has_latent_attention() || c.flash_attention, "latent attention needs fused attention"},
      {c.zero_group == 0 || (c.zero_group <= d.data * d.context && d.data * d.context % c.zero_group == 0),
       "shard groups must divide the data-parallel ranks"},
      {!c.overlap.tensor || d.tensor == 1 || c.sequence_parallel,
       "tensor-parallel overlap needs sequence parallelism"},
      {cluster.nodes == 0 || gpus <= cluster.nodes * cluster.gpus_per_node, "the cluster has fewer GPUs"},
      {gpus % cluster.gpus_per_node == 0 || gpus < cluster.gpus_per_node, "GPUs must fill whole nodes"},
      {gpu.peak_of(c.precision).value > 0, "the GPU has no such precision"},
      {std::int64_t{c.batch.sequence_tokens} * c.batch.micro_samples * std::max(1, model.experts_per_token) *
               d.expert_tensor <
           std::int64_t{1} << 31,
       "a microbatch of 2^31 tokens (or copies of them for experts) or more is not simulated"},
      {model.heads % d.tensor == 0, "tensor degree must divide the attention heads"},
      {model.kv_heads % d.tensor == 0 || d.tensor % model.kv_heads == 0,
       "tensor degree must divide the key-value heads, or be a multiple of them"},
      {model.ffn_hidden % d.tensor == 0, "tensor degree must divide the feed-forward width"},
      {c.recipe.lora_rank % d.tensor == 0, "tensor degree must divide the adapters' rank"},
      {model.vocab % vocab_step == 0,
       "tensor degree must divide the vocabulary (this framework does not pad it)"},
      {!c.sequence_parallel || c.batch.sequence_tokens % (d.tensor * d.context) == 0,
       "sequence parallelism needs a sequence length that the tensor degree divides"},
      {d.virtual_stages == 1 || d.pipeline > 1, "virtual stages need a pipeline"},
      {chunks_of(c) <=
           model.layers + (c.layers.embedding_is_layer ? 1 : 0) + (c.layers.loss_is_layer ? 1 : 0),
       "more pipeline chunks than layers"},
      {c.batch.global_samples % samples_per_round == 0,
       "data degree times microbatch must divide the global batch"},
  };
  if (const char* broken = first_broken(rules)) return Infeasible{Reason::unsupported, broken, 0.0};
  if (const char* broken = not_simulated_yet(c, model)) return Infeasible{Reason::unsupported, broken, 0.0};
  if (const char* broken = broken_context_rule(c, model, cluster))
    return Infeasible{Reason::unsupported, broken, 0.0};
  if (const char* broken = broken_mamba_rule(c, model)) return Infeasible{Reason::unsupported, broken, 0.0};
  for (const char* broken : {broken_graph_rule(c), broken_fused_expert_rule(c, model, gpu),
                             broken_format_rule(c, model), broken_offload_rule(c, model, cluster, gpu)})
    if (broken != nullptr) return Infeasible{Reason::unsupported, broken, 0.0};
  if (const char* broken = broken_overlap_rule(c, model)) return Infeasible{Reason::unsupported, broken, 0.0};
  if (const char* broken = broken_prediction_rule(c, model))
    return Infeasible{Reason::unsupported, broken, 0.0};
  if (const char* broken = broken_recompute_rule(c, model))
    return Infeasible{Reason::unsupported, broken, 0.0};
  if (const char* broken = broken_expert_rule(c, model)) return Infeasible{Reason::unsupported, broken, 0.0};
  return std::nullopt;
}

}  // namespace echo::training
