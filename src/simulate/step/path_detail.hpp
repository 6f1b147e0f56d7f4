// The kernels, collectives and stages on a step's critical path.
#pragma once

#include <vector>

#include "simulate/simulated_step.hpp"

namespace echo::simulate {

struct PathDetail {
  std::vector<SimTime> stage;  // [stages] passes on it and the end of the step; transfers are between stages
  std::vector<SimTime> work;   // [kernels + collectives] as stretched; pipeline transfers and host time apart
  SimTime hops{}, host{}, rest{};  // rest: gradient traffic that outlasts its pass
};

// Contract: `step` is composed, and its critical path found. Not on the hot path: blocks are composed again.
[[nodiscard]] PathDetail path_detail(const StepInput&, const ComposedStep& step);

}  // namespace echo::simulate
