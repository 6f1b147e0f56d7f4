// The objectives by which the points of a result are compared.
#pragma once

#include <vector>

#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::results {

// The objectives of the sweep; where it names fewer than two, filled up from step_time (least first) and gpus
// (fewest first), so that there are always two.
[[nodiscard]] std::vector<sweep::Objective> two_objectives(const std::vector<sweep::Objective>& of_sweep);

// Whether less of a metric is better, where no objective says so: as its column and the metric table have it.
[[nodiscard]] sweep::Goal usual_goal(std::string_view metric);

}  // namespace echo::results
