// Weights, their fp32 copies, gradients and optimizer states that one gpu rank of a stage holds.
#pragma once

#include <cstdint>

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

// Bytes, all through the step.
struct ModelStates {
  double weights = 0, master_weights = 0, grads = 0, optimizer = 0;
  double fresh_grads = 0;   // on top, when a backward pass ends: 16-bit gradients not yet added up
  double update_grads = 0;  // on top, while the optimizer runs: gradients as it takes them
};

[[nodiscard]] ModelStates model_states(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                       const RankLayout&, std::int32_t stage);

}  // namespace echo::training
