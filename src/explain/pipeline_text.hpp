// The pipeline of a step, drawn with letters.
#pragma once

#include <string>

#include "simulate/unfold/step_timeline.hpp"

namespace echo::explain {

// A line a stage: F forward, B backward, W weight gradient, with the microbatch where there is room, X two
// passes run as one, . bubble, - transfer, o what follows the last task. A step too long for one strip is
// drawn from its start and to its end. Empty where the step has no slices.
[[nodiscard]] std::string pipeline_text(const simulate::StepTimeline&);

}  // namespace echo::explain
