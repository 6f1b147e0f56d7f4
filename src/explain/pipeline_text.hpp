// Draws the pipeline of a step with letters.
#pragma once

#include <string>

#include "simulate/unfold/step_timeline.hpp"

namespace echo::explain {

// One line per stage: F forward, B backward, W weight gradient, with the microbatch if there is space, X two
// passes run as one, . bubble, - transfer, o work after the last task. If a step is too long for one strip,
// its start and its end are drawn. Empty if the step has no slices.
[[nodiscard]] std::string pipeline_text(const simulate::StepTimeline&);

}  // namespace echo::explain
