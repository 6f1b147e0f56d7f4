// One point of the design space: everything a framework's command line would specify. Plain, comparable,
// trivially copyable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/id.hpp"
#include "machine/cluster.hpp"
#include "machine/fabric_choice.hpp"
#include "machine/precision.hpp"
#include "ops/collective.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"
#include "training/recipe_preset.hpp"

namespace echo::training {

using ScheduleId = Id<struct ScheduleTag>;      // index into the schedule plug-in table
using LayerTableId = Id<struct LayerTableTag>;  // index into the catalog's explicit layers-per-stage tables
using machine::Precision;

// gpus = tensor * pipeline * data * context; expert groups subdivide data * context * tensor.
struct Degrees {
  std::int32_t tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1, expert_tensor = 1,
               virtual_stages = 1;
  friend constexpr auto operator<=>(const Degrees&, const Degrees&) = default;
};

struct Batch {
  std::int32_t global_samples = 1, micro_samples = 1, sequence_tokens = 1;  // samples are sequences
  friend constexpr auto operator<=>(const Batch&, const Batch&) = default;
};

// Assignment of layers to stages. Default: as even as possible. Embedding and loss may each count as a layer
// (Megatron --account-for-embedding-in-pipeline-split), or the split is given per chunk.
struct LayerSplit {
  bool embedding_is_layer = false, loss_is_layer = false;
  LayerTableId explicit_layers;  // [pipeline * virtual_stages], chunk order
  friend constexpr auto operator<=>(const LayerSplit&, const LayerSplit&) = default;
};

struct TrainingConfig {
  ModelId model;
  machine::ClusterId cluster;
  machine::GpuId gpu;  // none = the cluster's own
  FrameworkId framework;
  RecipeId named_recipe;  // laid over the framework; what it chooses stands in `recipe` and the members below
  Degrees degrees;
  Batch batch;
  ScheduleId schedule;
  Recompute recompute = Recompute::none;
  ZeroStage zero = ZeroStage::none;
  std::int32_t zero_group = 0;  // ranks a shard group spans; 0 = the whole data degree
  Precision precision = Precision::bf16;
  Overlap overlap;
  LayerSplit layers;
  bool sequence_parallel = false;
  bool flash_attention = true;
  Recipe recipe;
  machine::FabricChoice fabric;
  std::int32_t nccl_version = 0;  // as NCCL prints it; 0 = the cluster's
  friend constexpr auto operator<=>(const TrainingConfig&, const TrainingConfig&) = default;
};
static_assert(std::is_trivially_copyable_v<TrainingConfig>);

[[nodiscard]] constexpr std::int32_t gpus_of(const Degrees& d) {
  return d.tensor * d.pipeline * d.data * d.context;
}
// Microbatches of one data-parallel replica in one step; precondition: the division is exact.
[[nodiscard]] constexpr std::int32_t microbatches_of(const TrainingConfig& c) {
  return c.batch.global_samples / (c.degrees.data * c.batch.micro_samples);
}
// Those whose weight gradients of the output layer the last stage puts off: never the last one, whose
// backward sends gradients.
[[nodiscard]] constexpr std::int32_t deferred_microbatches(const TrainingConfig& c) {
  if (c.recipe.deferred_wgrads == 0 || c.degrees.pipeline < 2) return 0;
  return c.degrees.data * c.batch.micro_samples < 1
             ? 0
             : std::max(0, std::min(c.recipe.deferred_wgrads, microbatches_of(c) - 1));
}
[[nodiscard]] constexpr std::int32_t chunks_of(const TrainingConfig& c) {
  return c.degrees.pipeline * c.degrees.virtual_stages;
}

// Whether weights arrive layer by layer, and go when it has run: shards of replicas (ZeRO 3, FSDP), or from
// a memory tier.
[[nodiscard]] constexpr bool runs_in_units(const TrainingConfig& c) {
  const bool shards = c.zero == ZeroStage::parameters && c.degrees.data * c.degrees.context > 1;
  return shards || c.recipe.offload_weights;
}

inline constexpr std::array<std::string_view, 4> recompute_names{"none", "selective", "full", "per_op"};

}  // namespace echo::training
