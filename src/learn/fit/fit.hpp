// Training of the learned functions. Same samples, settings and seed: the same bytes, on one thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "slowdown/regressor.hpp"

namespace echo::learn {

// What is learned is the rate a kernel keeps while communication runs beside it, 1 / (1 + slowdown): it lies
// in 0..1 (a little above by noise) where slowdowns reach 30, so that no kernel drowns the others.
struct Samples {
  std::vector<std::string> features;  // names
  std::vector<double> values;         // [rows][features], row-major; NaN = unknown
  std::vector<double> target;         // [rows]
  std::vector<double> weight;         // [rows], > 0
  std::vector<double> base;           // [rows] rates that are there already, > 0. Empty: all 1
};
// What a regressor is fitted to: target / base. The squared error stays that of base * prediction, so the
// weights become weight * base^2.
[[nodiscard]] Samples of_the_base(Samples);

struct TreeSettings {  // in xgboost's words; squared error
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

// monotone: [features] -1, 0 or +1, how the target may move with each; empty = free. Trees keep to it
// exactly; a network does where its weights are held to signs. UserError, 2: built without xgboost (trees
// only).
[[nodiscard]] slowdown::Regressor fit(const Samples&, const Settings&,
                                      const std::vector<std::int32_t>& monotone, std::uint64_t seed);

}  // namespace echo::learn
