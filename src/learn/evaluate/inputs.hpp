// What a prediction is made from, one quantity at a time: to ask what happens when it is another.
#pragma once

#include <span>
#include <string_view>

#include "learn/candidates/examples.hpp"

namespace echo::learn {

// Quantities, not features: a feature that is a sum of two follows both.
struct Input {
  std::string_view name;
  void (*take)(Example& into, const Example& from) = nullptr;  // its value of another example
  double (*value)(const Example&) = nullptr;                   // in `units`; NaN = unknown. Null: no number
  void (*set)(Example&, double) = nullptr;
  std::string_view units;
};
[[nodiscard]] std::span<const Input> inputs_of(slowdown::FeatureSet);

}  // namespace echo::learn
