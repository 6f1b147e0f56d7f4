// The effect of each axis of a sweep on the objective.
#pragma once

#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::results {

struct MainEffect {
  std::string axis;
  double share = 0.0;  // of the variance, 0 to 1
};

// For each input that takes several values over the feasible rows: the share of the variance of log(metric)
// that lies between the groups of rows of equal value (correlation ratio, eta squared), largest first; equal
// shares in column order. Rows weigh alike. Shares of inputs that go together, and of interactions, overlap:
// they do not sum to 1. Derived inputs (microbatches, global_batch_tokens) take no part. Memory: one number
// per value of an input.
[[nodiscard]] std::vector<MainEffect> main_effects(const ResultRows&, const std::string& metric);

// /effects: axis and main_effect.
void write_effects(storage::Hdf5File&, const std::vector<MainEffect>&, const std::string& metric);

}  // namespace echo::results
