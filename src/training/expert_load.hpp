// How many tokens the fullest rank of an expert group works on.
#pragma once

#include <algorithm>
#include <cmath>

#include "training/config.hpp"
#include "training/model.hpp"

namespace echo::training {

// Over the mean. Tokens per expert vary with the recipe's coefficient of variation; a rank's experts together
// vary by that over the root of their number; the highest of n normal draws lies about sqrt(2 ln n)
// deviations above the mean (an upper bound of its expectation). Never more than the tokens there are, or
// than the capacity factor lets through.
[[nodiscard]] inline double fullest_expert_rank(const TrainingConfig& c, const ModelSpec& m) {
  const double ranks = c.degrees.expert, local = std::max(1.0, m.experts / ranks);
  const double variation = c.recipe.imbalance_permille / 1000.0 / std::sqrt(local);
  double load = 1.0 + variation * std::sqrt(2.0 * std::log(std::max(1.0, ranks)));
  load = std::min(load, std::max(1.0, ranks));
  if (c.recipe.capacity_permille > 0) load = std::min(load, c.recipe.capacity_permille / 1000.0);
  return load;
}

// Copies of tokens that the fullest rank's experts work on, each copy once per rank that shares the expert.
[[nodiscard]] inline double routed_tokens(const TrainingConfig& c, const ModelSpec& m) {
  const double tokens = static_cast<double>(c.batch.sequence_tokens) / c.degrees.context *
                        c.batch.micro_samples / c.degrees.tensor;
  return tokens * m.experts_per_token * c.degrees.expert_tensor * fullest_expert_rank(c, m);
}

}  // namespace echo::training
