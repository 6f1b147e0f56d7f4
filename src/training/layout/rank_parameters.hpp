// Parameters that one GPU rank holds before ZeRO sharding. Experts are counted separately: their gradients
// are summed over a different group.
#pragma once

#include <cstdint>

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

enum class WeightKind : std::int8_t { dense, expert };  // routed experts, and everything else

struct RankParameters {
  std::int64_t dense = 0, expert = 0;
  [[nodiscard]] std::int64_t total() const { return dense + expert; }
  [[nodiscard]] std::int64_t of(WeightKind kind) const { return kind == WeightKind::dense ? dense : expert; }
  RankParameters& operator+=(const RankParameters& other) {
    dense += other.dense, expert += other.expert;
    return *this;
  }
  friend bool operator==(const RankParameters&, const RankParameters&) = default;
};

// Parameters of one transformer layer, of one model chunk, of all chunks of a stage.
[[nodiscard]] RankParameters layer_parameters_per_rank(const TrainingConfig&, const ModelSpec&, LayerKind);
[[nodiscard]] RankParameters chunk_parameters(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                              const RankLayout&, std::int32_t chunk);
[[nodiscard]] RankParameters stage_parameters(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                              const RankLayout&, std::int32_t stage);

// Those that are trained: all, or the adapters of a frozen model; the functions above include adapters.
[[nodiscard]] RankParameters trained_layer_parameters(const TrainingConfig&, const ModelSpec&, LayerKind);
[[nodiscard]] RankParameters trained_chunk_parameters(const TrainingConfig&, const ModelSpec&,
                                                      const FrameworkSpec&, const RankLayout&,
                                                      std::int32_t chunk);
[[nodiscard]] RankParameters trained_stage_parameters(const TrainingConfig&, const ModelSpec&,
                                                      const FrameworkSpec&, const RankLayout&,
                                                      std::int32_t stage);

// Trained weights of products that take 8-bit operands if the precision has them: without norms, routers and
// embedding tables. Approximation: biases of split products count as weights.
[[nodiscard]] RankParameters product_layer_parameters(const TrainingConfig&, const ModelSpec&, LayerKind);
[[nodiscard]] RankParameters product_chunk_parameters(const TrainingConfig&, const ModelSpec&,
                                                      const RankLayout&, std::int32_t chunk);

// Parameters of a layer that every tensor rank holds whole: norm weights, biases of row-parallel products,
// the router, the latent attention's down-projections.
[[nodiscard]] std::int64_t replicated_layer_parameters(const ModelSpec&, LayerKind);

// Parameters of the norm between the last layer and the output layer, on the last stage; every tensor rank
// holds them whole.
[[nodiscard]] std::int64_t final_norm_parameters(const ModelSpec&);

// This tensor rank's part of the output layer's bias, on the last stage; `vocabulary` is padded.
[[nodiscard]] std::int64_t head_bias_parameters(const TrainingConfig&, const ModelSpec&,
                                                std::int64_t vocabulary);

// Vocabulary rows after Megatron's padding (a multiple of 128 * tensor), whole table.
[[nodiscard]] std::int64_t padded_vocabulary(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&);

}  // namespace echo::training
