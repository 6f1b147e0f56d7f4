// Bytes per parameter, and the groups by which they are divided:
//   weights    16 bit: 2. 8-bit products: the 16-bit weights and their quantised copies (number_formats.hpp;
//              Transformer Engine keeps them from the first microbatch of a step to the last), or with 8-bit
//              gathering the copies alone. Frozen weights that are held so have one copy, in FP8: a
//              transposed one is made where it is needed (Megatron Core
//              disable_parameter_transpose_cache, in MLPerf's LoRA on Hopper and MI325X), or not needed
//              (Blackwell). Sharded weights (ZeRO-3): none but the shards, below.
//   master     fp32: 4, over the shard group from ZeRO-1 on. Under FSDP these are the sharded weights.
//   gradients  one main buffer (Megatron-LM, DistributedDataParallel): 4, or 2 without fp32_gradients; over
//              the shard group from ZeRO-2 on. In fp16, 2 where a config leaves the choice to the framework:
//              Megatron-LM accumulates in fp32 for bf16 alone (arguments.py,
//              accumulate_allreduce_grads_in_fp32).
//              accumulated (nanotron, FP32GradientAccumulator): an fp32 buffer of all, without ZeRO the
//              16-bit buckets of PyTorch's DDP, and 16-bit gradients of the microbatch whose backward pass
//              runs. partitioned (DeepSpeed, runtime/zero/stage_1_and_2.py): 16-bit gradients; before the
//              update the rank's part again, flattened and in fp32. In bf16 without ZeRO, or under ZeRO-1
//              with fp32 gradients, also fp32 sums of all of them, which the update uses directly
//              (runtime/engine.py get_data_types, runtime/bf16_optimizer.py). Sharded weights: fp32 of the
//              shard, since gradients have the number format of the weights to which they belong; without a
//              reduction per microbatch (no_sync), of all of them.
//   optimizer  Adam's two moments: fp32 8, 16 bit 4, 8 bit 2 and a scale per 256; one momentum: 4. From
//              ZeRO-1 on over the shard group.
// Frozen weights have no master copy, gradient or state; adapters on them do. Routed experts are sharded
// over their own group. Offloaded optimizers keep master weights and moments in host memory or a tier behind
// it, and gradients in host memory until the update; offloaded weights are in theirs, and on the GPU is what
// communication_memory.cpp says of units.
#include "training/memory/model_states.hpp"

#include <algorithm>

#include "training/layout/rank_parameters.hpp"
#include "training/memory/number_formats.hpp"
#include "training/memory/stored_bytes.hpp"

namespace echo::training {

namespace {

// Parameters of one rank; `over`: the ranks that share their states.
struct Shared {
  double dense = 0, expert = 0, dense_ranks = 1, expert_ranks = 1;
  [[nodiscard]] double whole() const { return dense + expert; }
  [[nodiscard]] double shard() const { return dense / dense_ranks + expert / expert_ranks; }
  [[nodiscard]] double over(bool sharded) const { return sharded ? shard() : whole(); }
};

// Weights of the layers of a stage.
double layer_weights(const TrainingConfig& c, const ModelSpec& m, const RankLayout& layout,
                     std::int32_t stage) {
  double weights = 0;
  for (std::size_t chunk = 0; chunk < layout.chunk_layers.size(); ++chunk) {
    if (layout.stage_of_chunk[chunk] != stage) continue;
    for (const LayerCount& like : layout.chunk_kinds.row(static_cast<std::int32_t>(chunk)))
      weights += like.count * static_cast<double>(layer_parameters_per_rank(c, m, like.kind).total());
  }
  return weights;
}

double weight_bytes(const TrainingConfig& c, std::int32_t compute_capability, double parameters,
                    double in_products) {
  constexpr double fp8 = 1.0;
  const double each = machine::element_bytes(c.precision);
  if (!is_8_bit(c.precision)) return parameters * each;
  const double copies =
      c.recipe.fp8_gather && c.recipe.lora_rank > 0 ? fp8 : cached_weight_bytes(c, compute_capability);
  return c.recipe.fp8_gather ? (parameters - in_products) * each + in_products * copies
                             : parameters * each + in_products * copies;
}

double main_gradient_bytes(const TrainingConfig& c, const FrameworkSpec& f) {
  const bool chosen = c.recipe.fp32_gradients != f.recipe.fp32_gradients;
  const bool half = !chosen && c.precision == Precision::fp16;
  return c.recipe.fp32_gradients && !half ? 4.0 : machine::element_bytes(c.precision);
}

void set_gradients(const TrainingConfig& c, const FrameworkSpec& f, const Shared& trained, ModelStates& s) {
  const double e = machine::element_bytes(c.precision);
  const bool partitions = c.zero >= ZeroStage::gradients;
  switch (f.gradients) {
    case GradientStore::main_buffer:
      s.grads = trained.over(partitions) * main_gradient_bytes(c, f);
      return;
    case GradientStore::accumulated:
      s.grads = trained.over(partitions) * 4.0;
      if (trained.dense_ranks > 1.0 && c.zero == ZeroStage::none) s.grads += trained.whole() * e;
      s.fresh_grads = trained.whole() * e;
      return;
    case GradientStore::partitioned:
      s.grads = trained.over(partitions) * e;
      if (c.precision == Precision::bf16 &&
          (c.zero == ZeroStage::none || (c.recipe.fp32_gradients && c.zero == ZeroStage::optimizer))) {
        s.grads += trained.whole() * 4.0;
        return;
      }
      s.update_grads = trained.over(c.zero >= ZeroStage::optimizer) * (4.0 + e);
      return;
  }
}

// FSDP: the fp32 shards are the weights.
void set_sharded(const TrainingConfig& c, const FrameworkSpec& f, const Shared& all, const Shared& trained,
                 ModelStates& s) {
  const double e = machine::element_bytes(c.precision);
  s.weights = 0.0;
  if (f.gradients == GradientStore::partitioned)
    s.weights = all.shard() * e;
  else if (c.recipe.lora_rank > 0)
    s.weights = (all.whole() - trained.whole()) / all.dense_ranks * e;
  s.master_weights = trained.shard() * 4.0;
  if (f.gradients == GradientStore::partitioned) {
    s.grads = trained.shard() * e;
    s.update_grads = trained.shard() * 4.0;
  } else {
    s.grads =
        c.recipe.no_sync ? trained.whole() * (c.recipe.fp32_gradients ? 4.0 : e) : trained.shard() * 4.0;
  }
  s.optimizer = trained.shard() * moment_bytes(c.recipe.optimizer);
}

}  // namespace

ModelStates model_states(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                         const RankLayout& layout, std::int32_t compute_capability, std::int32_t stage) {
  const RankParameters held = stage_parameters(c, m, f, layout, stage);
  const Shared all{.dense = static_cast<double>(held.dense),
                   .expert = static_cast<double>(held.expert),
                   .dense_ranks = static_cast<double>(layout.shard.ranks),
                   .expert_ranks = static_cast<double>(layout.expert_shard.ranks)};
  Shared trained = all;
  const RankParameters own = c.recipe.lora_rank > 0 ? trained_stage_parameters(c, m, f, layout, stage) : held;
  trained.dense = static_cast<double>(own.dense), trained.expert = static_cast<double>(own.expert);
  ModelStates s;
  // Embedding tables of the vocabulary and of positions take part in no 8-bit product, nor do adapters.
  const double adapters = c.recipe.lora_rank > 0 ? trained.whole() : 0.0;
  const double in_products = is_8_bit(c.precision) ? layer_weights(c, m, layout, stage) - adapters : 0.0;
  s.weights = weight_bytes(c, compute_capability, all.whole(), in_products);
  const bool shards = c.zero >= ZeroStage::optimizer;
  s.master_weights = trained.over(shards) * master_bytes(c);
  s.optimizer = trained.over(shards) * moment_bytes(c.recipe.optimizer);
  set_gradients(c, f, trained, s);
  const bool shards_weights = c.zero == ZeroStage::parameters && layout.shard.ranks > 1;
  if (shards_weights) set_sharded(c, f, all, trained, s);
  if (c.recipe.offload_optimizer) {
    // FSDP's shards are in host memory with the rest; DeepSpeed's 16-bit ones stay on the device.
    s.states_away = s.master_weights + s.optimizer;
    s.grads_away = trained.over(shards) * main_gradient_bytes(c, f);
    s.master_weights = s.optimizer = s.update_grads = 0.0;
  }
  if (c.recipe.offload_weights) {
    s.weights_away = all.over(shards_weights) * machine::element_bytes(c.precision);
    s.weights = 0.0;
  }
  return s;
}

}  // namespace echo::training
