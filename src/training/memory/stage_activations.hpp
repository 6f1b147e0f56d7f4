// Activations of a stage at its high-water mark.
#pragma once

#include <array>
#include <cstdint>

#include "training/layout/rank_layout.hpp"
#include "training/memory/layer_activations.hpp"

namespace echo::training {

// Bytes of all microbatches in flight, and the addition while the backward pass of one layer runs.
struct StageActivations {
  double held = 0, passing = 0;
};

[[nodiscard]] StageActivations stage_activations(const TrainingConfig&, const ModelSpec&,
                                                 const FrameworkSpec&, const RankLayout&, std::int32_t stage,
                                                 std::int32_t in_flight);

}  // namespace echo::training
