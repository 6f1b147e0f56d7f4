// The critical path of a composed step: from its end back through pipeline, blocks and transfers, by part and
// by what it depends on.
#pragma once

#include "simulate/step/compose_step.hpp"

namespace echo::simulate {

// Contract: compose() has just filled `scratch` and `step`, with slowdown. Fills step.path and
// step.path_blocks. The parts sum to the step exactly.
[[nodiscard]] PathShare critical_path(const StepInput&, ComposeScratch& scratch, ComposedStep& step);

}  // namespace echo::simulate
