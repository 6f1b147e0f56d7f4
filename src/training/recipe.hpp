// How a run is trained beyond its degrees and batch: kernels, number formats, what is kept, sent and computed
// again. Every framework starts from its own recipe; a sweep may set each choice by itself. recipe.cpp holds
// one row a choice, from which axes, keys of framework files and config ids are made.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ops/kernel.hpp"

namespace echo::training {

// How ranks that share a sequence come by each other's keys and values (Megatron-LM --cp-comm-type).
enum class ContextComm : std::int8_t { ring, all_gather, ulysses, hybrid };

// How tokens reach experts on other nodes: each copy on its own (NCCL's all-to-all), or once a node, where it
// is copied on (DeepEP, HybridEP).
enum class Dispatch : std::int8_t { per_copy, per_node };

// Scales of 8-bit products: of earlier steps, of the tensor itself, or of blocks of it (DeepSeek-V3).
enum class Fp8Recipe : std::int8_t { delayed, current, blockwise };

// adam: fp32 moments. adam_bf16: 16-bit moments. adam_8bit: block-quantised moments. sgd: one momentum.
enum class Optimizer : std::int8_t { adam, adam_bf16, adam_8bit, sgd };

// What full recomputation keeps: the input of every group of `recompute_layers` layers, or of the first
// `recompute_layers` layers of a chunk, the others keeping all (Megatron-LM --recompute-method).
enum class RecomputeMethod : std::int8_t { uniform, block };

// What selective recomputation drops (Megatron-LM --recompute-modules), as bits.
enum class Module : std::int32_t {
  core_attn = 1,
  layernorm = 2,
  mla_up_proj = 4,
  mlp = 8,
  moe_act = 16,
  moe = 32,
  shared_experts = 64
};

struct Recipe {
  // Kernels and the host.
  ops::KernelStyle kernels = ops::KernelStyle::fused;  // layer norm, activation, residual, softmax, optimizer
  ops::KernelStyle kernels_rms_rope = ops::KernelStyle::fused;  // RMSNorm and rotary embedding
  ops::KernelStyle kernels_loss = ops::KernelStyle::fused;      // cross-entropy over a split vocabulary
  bool cuda_graphs = false;  // passes are replayed: the host issues one launch
  // Number formats.
  Fp8Recipe fp8_recipe = Fp8Recipe::delayed;
  bool fp8_gather = false;              // sharded weights of 8-bit products travel in 8 bit
  bool fp32_gradients = true;           // main gradients kept and reduced in fp32
  bool fused_grad_accumulation = true;  // weight-gradient GEMM adds straight into the main gradient
  Optimizer optimizer = Optimizer::adam;
  bool grad_clip = true;  // gradients are scaled by their global norm
  // Context parallelism.
  ContextComm cp_comm = ContextComm::ring;
  std::int32_t cp_inner = 0;  // hybrid: ranks of an all-to-all group; 0 = those of one node
  // Pipeline.
  bool scatter_gather = false;  // hops carry 1/tensor each, all-gathered on arrival (Narayanan 2021, 4.1)
  std::int32_t microbatch_group = 0;  // interleaved: microbatches through one chunk before the next; 0 = pp
  bool post_validation = true;        // zero bubble: no stage waits for the gradient norm (Qi et al. 2023, 4)
  // Sharded weights (ZeRO-3, FSDP).
  std::int32_t fsdp_prefetch = 1;  // units gathered ahead of the one that runs
  bool fsdp_reshard = true;        // weights are freed after the forward pass
  bool no_sync = false;            // gradients of sharded states are reduced once a step, not each microbatch
  // Host memory.
  bool offload_optimizer = false;   // states and update on the CPU (ZeRO-Offload)
  std::int32_t offload_layers = 0;  // layers of each chunk whose activations wait in host memory
  // Recomputation, beside TrainingConfig::recompute.
  std::int32_t recompute_modules =
      static_cast<std::int32_t>(Module::core_attn);             // of selective; bits of Module
  RecomputeMethod recompute_method = RecomputeMethod::uniform;  // of full
  std::int32_t recompute_layers = 0;  // of full; 0 = uniform: every layer by itself, block: all of a chunk
  // Mixtures of experts.
  Dispatch dispatch = Dispatch::per_copy;
  bool overlaps_shared_experts = false;  // run beside the experts' all-to-alls
  bool overlap_ep = false;  // all-to-alls of one microbatch run beside the computation of another
  std::int32_t capacity_permille =
      0;  // tokens an expert takes, over the mean, in thousandths; 0 = all that come
  std::int32_t imbalance_permille = 0;  // coefficient of variation of tokens per expert, in thousandths
  // What is trained.
  std::int32_t mtp_layers = 0;  // extra layers that each predict one token further (DeepSeek-V3, 2.2)
  std::int32_t lora_rank = 0;   // low-rank adapters on a frozen model; 0 = all weights are trained
  friend constexpr auto operator<=>(const Recipe&, const Recipe&) = default;

  [[nodiscard]] constexpr bool recomputes(Module module) const {
    return (recompute_modules & static_cast<std::int32_t>(module)) != 0;
  }
};

// How the value of a choice is written: true or false; a whole number from 0; one of `words`; several of them
// joined by
// "+"; thousandths of a real number.
enum class ChoiceKind : std::int8_t { flag, count, word, words, permille };

inline constexpr std::int32_t choice_count = 30;
// Of axes, columns and keys in framework files; in the order of Recipe's members.
inline constexpr std::array<std::string_view, choice_count> choice_names{"kernels",
                                                                         "kernels_rms_rope",
                                                                         "kernels_loss",
                                                                         "cuda_graphs",
                                                                         "fp8_recipe",
                                                                         "fp8_gather",
                                                                         "fp32_gradients",
                                                                         "fused_grad_accumulation",
                                                                         "optimizer",
                                                                         "grad_clip",
                                                                         "cp_comm",
                                                                         "cp_inner",
                                                                         "scatter_gather",
                                                                         "microbatch_group",
                                                                         "post_validation",
                                                                         "fsdp_prefetch",
                                                                         "fsdp_reshard",
                                                                         "no_sync",
                                                                         "offload_optimizer",
                                                                         "offload_layers",
                                                                         "recompute_modules",
                                                                         "recompute_method",
                                                                         "recompute_layers",
                                                                         "dispatch",
                                                                         "overlaps_shared_experts",
                                                                         "overlap_ep",
                                                                         "capacity_factor",
                                                                         "expert_imbalance",
                                                                         "mtp_layers",
                                                                         "lora_rank"};

struct Choice {
  std::string_view name;
  ChoiceKind kind;
  std::span<const std::string_view> words;
  std::int32_t highest;
  std::int32_t (*get)(const Recipe&);
  void (*set)(Recipe&, std::int32_t);
};
[[nodiscard]] std::span<const Choice, choice_count> recipe_choices();  // in the order of choice_names

}  // namespace echo::training
