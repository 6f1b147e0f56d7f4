// Fine-tuning, by what a config says of it.
#pragma once

#include "training/config.hpp"

namespace echo::training {

// Trains an adapter, or on packed documents.
[[nodiscard]] inline bool is_fine_tuning(const TrainingConfig& config) {
  return config.recipe.lora_rank > 0 || config.recipe.packed_tokens > 0;
}

}  // namespace echo::training
