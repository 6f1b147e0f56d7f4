// The axes of a sweep by their effect on its objective.
#pragma once

#include <string>
#include <vector>

#include "results/rank/effects.hpp"

namespace echo::query {

// main_effects() of the axes that the sweep turns (of all inputs where the file does not say), largest first.
// Where axes say the same, each value of one going with one value of the other in all feasible rows, only the
// first is there.
[[nodiscard]] std::vector<results::MainEffect> levers_of(const results::ResultRows&,
                                                         const std::string& metric);

}  // namespace echo::query
