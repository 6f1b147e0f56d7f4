// Weights, their fp32 copies, gradients and optimizer states held by one GPU rank of a stage.
#pragma once

#include <cstdint>

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

// Bytes, throughout the step.
struct ModelStates {
  double weights = 0, master_weights = 0, grads = 0, optimizer = 0;
  double fresh_grads = 0;   // in addition, at the end of a backward pass: 16-bit gradients not yet summed
  double update_grads = 0;  // in addition, while the optimizer runs: gradients in its format
  // Elsewhere: the parts of these in optimizer_tier, and in weight_tier.
  double states_away = 0, weights_away = 0;
  double grads_away = 0;  // and gradients in the host's memory, for its processors
};

// `compute_capability` of the GPU: whether products of narrow operands need a transposed copy.
[[nodiscard]] ModelStates model_states(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                       const RankLayout&, std::int32_t compute_capability,
                                       std::int32_t stage);

}  // namespace echo::training
