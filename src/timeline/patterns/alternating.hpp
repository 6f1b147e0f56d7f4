// The pattern of the 1F1B family: `warm_up` forwards, then alternately one forward and one backward, then
// backwards.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/schedule.hpp"

namespace echo::timeline {

// Number of microbatches that pass one chunk before the next.
[[nodiscard]] constexpr std::int32_t group_of(const PipelineShape& shape) {
  return shape.microbatch_group > 0 ? shape.microbatch_group : shape.stages;
}

// Appends positions [from, to) of such an order for a stage with chunks stage, stage + stages, ... Forwards
// run in groups of microbatches, each group through all chunks of the stage, the last group with the
// remainder; backwards in the same way, last chunk first. (With one chunk per stage: plain microbatch order.)
// Weight gradients that are put off (PipelineShape::deferred) follow at the end.
void append_alternating(const PipelineShape&, std::int32_t stage, std::int32_t warm_up, std::int32_t from,
                        std::int32_t to, std::vector<Task>& out);

}  // namespace echo::timeline
