// The steady state of a pipeline, simulated only until it is proven to repeat.
#pragma once

#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {

// Composes with the legs and (fresh) stages of `scratch`; false, with both unchanged, if the schedule has no
// closed form or its steady stretch is too short to be worth it.
[[nodiscard]] bool run_repeating(const PipelineShape&, const Schedule&, bool overlapped,
                                 PipelineScratch& scratch, Trail* trail);

}  // namespace echo::timeline
