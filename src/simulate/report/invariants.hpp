// Physical facts every simulated step must satisfy, checked in every build.
#pragma once

#include <array>

#include "base/lane.hpp"
#include "base/units.hpp"

namespace echo::simulate {

struct StepFacts {
  SimTime step{}, step_no_slowdown{};
  SimTime busiest_stage{};                             // compute time of the busiest gpu rank
  std::array<SimTime, time_category_count> exposed{};  // must sum to step
  double mfu = 0.0;
};

// The first violated invariant as text, or null.
[[nodiscard]] const char* check_step(const StepFacts&);

}  // namespace echo::simulate
