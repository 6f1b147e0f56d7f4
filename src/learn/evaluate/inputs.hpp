// The inputs of a prediction as separate quantities, to vary them one at a time.
#pragma once

#include <span>
#include <string_view>

#include "learn/candidates/examples.hpp"

namespace echo::learn {

// Quantities, not features: a feature that is a sum of two depends on both.
struct Input {
  std::string_view name;
  void (*take)(Example& into, const Example& from) = nullptr;  // takes its value from another example
  double (*value)(const Example&) = nullptr;  // in `units`; NaN = unknown. Null: not a number
  void (*set)(Example&, double) = nullptr;
  std::string_view units;
};
[[nodiscard]] std::span<const Input> inputs_of(slowdown::FeatureSet);

}  // namespace echo::learn
