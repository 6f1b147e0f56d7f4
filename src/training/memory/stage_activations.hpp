// Activations of a stage at its high-water mark.
#pragma once

#include <algorithm>
#include <cstdint>

#include "training/layout/rank_layout.hpp"
#include "training/memory/layer_activations.hpp"

namespace echo::training {

// Bytes: kept for one microbatch by the fullest chunk; of the embedding's dropout masks and norm, for one
// microbatch; and the addition while the backward pass of one layer runs.
struct StageActivations {
  double kept = 0, embedding = 0, passing = 0;
  double away = 0;  // kept in activation_tier, for one microbatch by that chunk
  // The bytes of all microbatches in flight.
  [[nodiscard]] double held(std::int32_t in_flight, std::int32_t stages) const {
    return kept * in_flight + embedding * std::min(in_flight, stages);
  }
};

[[nodiscard]] StageActivations stage_activations(const TrainingConfig&, const ModelSpec&,
                                                 const FrameworkSpec&, const RankLayout&, std::int32_t stage);

}  // namespace echo::training
