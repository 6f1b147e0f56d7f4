// The common order of DualPipe and DualPipeV: microbatches reach a stage's two chunks from opposite sides.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/schedule.hpp"

namespace echo::timeline {

// A stage `depth` steps from the outer end of an arm of `arm` stages. Microbatches go inward through the
// chunk reached first and outward through the second.
struct DualStage {
  std::int32_t arm = 1, depth = 0, microbatches = 1;  // microbatches of each chunk, at least 2 * arm
  std::int32_t first_chunk = 0, second_chunk = 0;
};

// Positions [from, to) of the stage's order; `to` may lie past its end.
void append_dual(const DualStage&, std::int32_t from, std::int32_t to, std::vector<Task>& out);
[[nodiscard]] SteadyStretch steady_dual(const DualStage&);

// A schedule's functions for its kind of stages.
template <DualStage (*dual)(const PipelineShape&, std::int32_t stage)>
struct Dual {
  static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                    std::vector<Task>& out) {
    append_dual(dual(shape, stage), from, to, out);
  }
  static SteadyStretch steady(const PipelineShape& shape, std::int32_t stage) {
    return steady_dual(dual(shape, stage));
  }
};

}  // namespace echo::timeline
