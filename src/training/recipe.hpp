// How a run is trained beyond its degrees and batch: kernels, number formats, what is kept, sent and computed
// again. Every framework starts from its own recipe; a sweep may set each choice by itself. Its members are
// generated from axes.toml.
#pragma once

#include <compare>
#include <cstdint>

#include "machine/memory_tier.hpp"
#include "ops/collective.hpp"
#include "ops/generic_settings.hpp"
#include "ops/kernel.hpp"

namespace echo::training {

// How ranks that share a sequence obtain each other's keys and values (Megatron-LM --cp-comm-type).
enum class ContextComm : std::int8_t { ring, all_gather, ulysses, hybrid };

// How tokens reach experts on other nodes: each copy separately (NCCL's all-to-all), or once per node, where
// it is forwarded (DeepEP, HybridEP).
enum class Dispatch : std::int8_t { per_copy, per_node };

// Scales of 8-bit products: of earlier steps, of the tensor itself, of blocks of it (DeepSeek-V3), or of each
// of its rows (torchao).
enum class Fp8Recipe : std::int8_t { delayed, current, blockwise, rowwise };

// How products that overlap their scatters are cut (axes.toml, `userbuffers`).
enum class Userbuffers : std::int8_t { defaults, preset, pipeline, ring, ring_fc2 };

// Products whose results are scattered in 8 bit (axes.toml, `fp8_scatters`).
enum class Fp8Scatters : std::int8_t { none, attention, all };

// adam: fp32 moments. adam_bf16: 16-bit moments. adam_8bit: block-quantised moments. sgd: one momentum. none:
// weights are not updated; a benchmark of forward and backward passes.
enum class Optimizer : std::int8_t { adam, adam_bf16, adam_8bit, sgd, none };

// Tensors kept by full recomputation: the input of every group of `recompute_layers` layers, or of the first
// `recompute_layers` layers of a chunk, the others keeping all (Megatron-LM --recompute-method), or of every
// `recompute_layers`-th layer (torchtitan selective_ac_option).
enum class RecomputeMethod : std::int8_t { uniform, block, every };

// Modules recomputed by selective recomputation (Megatron-LM --recompute-modules), as bits.
enum class Module : std::int32_t {
  core_attn = 1,
  layernorm = 2,
  mla_up_proj = 4,
  mlp = 8,
  moe_act = 16,
  moe = 32,
  shared_experts = 64
};

// Parts of a layer that Megatron-LM --cuda-graph-modules captures, as bits: attention or the feed-forward
// net, each with the norm before it; a mixture up to its router, shared experts included; what its dispatcher
// does before tokens leave; a Mamba layer.
enum class GraphModule : std::int32_t { attn = 1, mlp = 2, moe_router = 4, moe_preprocess = 8, mamba = 16 };

// Products of a layer, by Megatron's names, as bits.
enum class Product : std::int32_t { linear_qkv = 1, linear_proj = 2, linear_fc1 = 4, linear_fc2 = 8 };

// One member for each axis that axes.toml does not place elsewhere.
struct Recipe {
#include "training/recipe_members.inc"
  friend constexpr auto operator<=>(const Recipe&, const Recipe&) = default;

  [[nodiscard]] constexpr bool recomputes(Module module) const {
    return (recompute_modules & static_cast<std::int32_t>(module)) != 0;
  }
  [[nodiscard]] constexpr bool captures(GraphModule module) const {
    return !cuda_graphs && (cuda_graph_modules & static_cast<std::int32_t>(module)) != 0;
  }
  [[nodiscard]] constexpr bool adapts(Product product) const {
    return (lora_targets & static_cast<std::int32_t>(product)) != 0;
  }
};

}  // namespace echo::training
