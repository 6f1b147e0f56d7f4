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
  std::optional<slowdown::LearnedModel> model;  // for the file; nothing: shown only, not saved
  std::vector<double> gain;  // [features] loss reduction by its trees' splits; empty: no trees
};

// Precondition: is_sound(model), and it has that side.
[[nodiscard]] Fitted fitted_of(slowdown::LearnedModel, Side, std::vector<double> gain = {});

}  // namespace echo::learn
