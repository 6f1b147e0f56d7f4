// Runs the program of a pipeline for several sets of durations at once: those of one step without slowdown
// and with it differ in nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {

// As compose_pipeline for each case: same times, and in `scratch` the stages and the run of the last case,
// from which the trail's steps are worked out. False, with nothing said, where a time is exact_times
// (lanes.hpp) or later. Contract: has_program(schedule, shape); 1 to most_cases cases. Throws
// ContractViolation if the order deadlocks. Cost: O(stages * chunks) where all cases are proven to repeat,
// else O(tasks).
[[nodiscard]] bool run_program(const PipelineShape&, const Schedule&, std::span<const PipelineCase>,
                               const Hops&, PipelineScratch& scratch, Trail* trail);

}  // namespace echo::timeline
