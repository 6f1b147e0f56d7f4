// The critical path of a composed step: from its end back through pipeline, blocks and transfers, per time
// category and per bottleneck.
#pragma once

#include "simulate/step/compose_step.hpp"

namespace echo::simulate {

// Contract: ws is as compose_step left it for `outcome`, with ws.trail, of slowed chunks. Fills ws.path,
// ws.path_end and ws.path_blocks. The parts sum to the step exactly.
[[nodiscard]] PathShare critical_path(const training::TrainingConfig&, const training::FrameworkSpec&,
                                      const timeline::Schedule&, const StepOutcome& outcome, Workspace& ws);

}  // namespace echo::simulate
