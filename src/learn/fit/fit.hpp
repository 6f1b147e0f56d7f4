// Training of the learned functions. Same samples, settings and seed give the same bytes, on one thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "slowdown/regressor.hpp"

namespace echo::learn {

// The target is the rate a kernel keeps while communication runs beside it, 1 / (1 + slowdown): it lies in
// 0..1 (slightly above by noise), while slowdowns reach 30, so that no kernel dominates the others.
struct Samples {
  std::vector<std::string> features;  // names
  std::vector<double> values;         // [rows][features], row-major; NaN = unknown
  std::vector<double> target;         // [rows]
  std::vector<double> weight;         // [rows], > 0
  std::vector<double> base;           // [rows] rates of the base, > 0. Empty: all 1
};
// Samples for a regressor: target / base. The squared error remains that of base * prediction, so the weights
// become weight * base^2.
[[nodiscard]] Samples of_the_base(Samples);

struct TreeSettings {  // in xgboost's terms; squared error
  std::int32_t rounds = 100, depth = 4;
  double learning_rate = 0.1, min_child_weight = 3.0, lambda = 1.0, gamma = 0.0, subsample = 1.0,
         colsample = 1.0;
};
struct MlpSettings {
  std::vector<std::int32_t> hidden{16, 16};
  std::int32_t epochs = 400, patience = 40, batch = 32;  // stops `patience` epochs after the best validation
  double learning_rate = 0.003, weight_decay = 1e-3, validation = 0.2;
};
using Settings = std::variant<TreeSettings, MlpSettings>;

// monotone: [features] -1, 0 or +1, the allowed direction of the target in each; empty = free. Trees obey it
// exactly, networks if the signs of their weights are constrained. UserError, 2: built without xgboost (trees
// only).
[[nodiscard]] slowdown::Regressor fit(const Samples&, const Settings&,
                                      const std::vector<std::int32_t>& monotone, std::uint64_t seed);

}  // namespace echo::learn
