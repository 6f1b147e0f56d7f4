// The kernels, collectives and stages on a step's critical path.
#pragma once

#include "simulate/step/workspace.hpp"

namespace echo::simulate {

struct PathDetail {
  std::vector<SimTime> stage;  // [stages] passes on it and the end of the step; transfers are between stages
  std::vector<SimTime> work;   // [kernels + collectives] as stretched; pipeline transfers and host time apart
  SimTime hops{}, host{}, rest{};  // rest: gradient traffic that outlasts its pass
};

// Contract: ws is as simulate() left it for an ok config without skew. Not on the hot path: blocks are
// composed again.
[[nodiscard]] PathDetail path_detail(const timeline::PipelineShape&, Workspace& ws, SimTime step,
                                     SimTime host_per_step);

}  // namespace echo::simulate
