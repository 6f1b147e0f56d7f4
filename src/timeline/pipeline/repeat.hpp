// The steady state of a pipeline, run only until it is proven to repeat.
#pragma once

#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {

// Composes with legs and (fresh) stages of `scratch`; false, with both untouched, where the schedule has no
// closed form or too short a steady stretch to pay.
[[nodiscard]] bool run_repeating(const PipelineShape&, const Schedule&, bool overlapped,
                                 PipelineScratch& scratch, Trail* trail);

}  // namespace echo::timeline
