// A candidate after training.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "learn/candidates/examples.hpp"
#include "slowdown/learned.hpp"

namespace echo::learn {

struct Fitted {
  std::function<double(const Example&)> slowdown;
  std::optional<slowdown::LearnedModel> model;  // what a file holds; nothing: it is shown, not saved
  std::vector<double> gain;  // [features] loss that its trees' splits took off; empty: it has none
};

// Precondition: is_sound(model); it speaks of that side.
[[nodiscard]] Fitted fitted_of(slowdown::LearnedModel, Side, std::vector<double> gain = {});

}  // namespace echo::learn
