#include "timeline/patterns/paced.hpp"

#include <algorithm>

namespace echo::timeline {

// Turn j consists of a forward while there are any, the backward of microbatch j, and from turn `delay` on a
// weight gradient. Turn m consists of the remaining weight gradients.
static std::int32_t start_of_turn(const PipelineShape& shape, Pace pace, std::int32_t j) {
  return pace.warm_up + std::min(j, shape.microbatches - pace.warm_up) + j + std::max(0, j - pace.delay);
}

void append_paced(const PipelineShape& shape, std::int32_t stage, Pace pace, std::int32_t from,
                  std::int32_t to, std::vector<Task>& out) {
  const std::int32_t m = shape.microbatches;
  pace.warm_up = std::min(pace.warm_up, m);
  std::int32_t at = from;
  for (; at < std::min(pace.warm_up, to); ++at) out.push_back(task_of(TaskKind::forward, stage, at));
  std::int32_t turn = 0;  // the last one that starts at `at` or before, by bisection
  for (std::int32_t end = m + 1; end - turn > 1;) {
    const std::int32_t middle = turn + (end - turn) / 2;
    (start_of_turn(shape, pace, middle) <= at ? turn : end) = middle;
  }
  for (; at < to && turn < m; ++turn) {
    std::int32_t position = start_of_turn(shape, pace, turn);
    const auto append = [&](TaskKind kind, std::int32_t microbatch) {
      if (position++ == at && at < to) out.push_back(task_of(kind, stage, microbatch)), ++at;
    };
    if (pace.warm_up + turn < m) append(TaskKind::forward, pace.warm_up + turn);
    append(TaskKind::backward_input, turn);
    if (turn >= pace.delay) append(TaskKind::backward_weight, turn - pace.delay);
  }
  for (; at < to; ++at) out.push_back(task_of(TaskKind::backward_weight, stage, at - 2 * m));
}

// Repeat r of a stage is its turn delay + r: forward of microbatch warm_up + delay + r, backward of delay +
// r, weight gradient of r. It needs repeat r of the stage before it, and an earlier repeat of the stage
// after it, which delays more.
SteadyStretch steady_paced(const PipelineShape& shape, Pace pace) {
  return {.first = pace.warm_up + 2 * pace.delay,
          .length = 3,
          .advance = 1,
          .repeats = shape.stages == 1 ? 0 : std::max(0, shape.microbatches - pace.warm_up - pace.delay - 1)};
}

std::int32_t held_by(const PipelineShape& shape, Pace pace) {
  return std::min(pace.warm_up + 1 + pace.delay, shape.microbatches);
}

}  // namespace echo::timeline
