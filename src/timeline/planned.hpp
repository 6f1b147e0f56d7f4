// Orders planned from the times of the chunks: zero-bubble schedules.
#pragma once

#include <cstdint>
#include <span>

#include "timeline/schedule.hpp"

namespace echo::timeline {

// How a stage chooses its next task.
struct Rule {
  enum class Kind : std::int8_t { paced, greedy, woven } kind = Kind::greedy;

  // Paced, one chunk on a stage: an order fixed in advance. Stage s keeps window * (stages - s) +
  // window_shift forwards ahead of its backwards, and its weight gradients delay * s behind them.
  std::int32_t window = 1, window_shift = 0, delay = 0;

  // Greedy: backwards and forwards take turns where both can run; otherwise backwards go first.
  bool in_turns = false;

  // Woven, two chunks on a stage placed like a V: forwards and backwards go by an ideal timetable in which
  // each leg of a microbatch starts `outer` (first and last quarter of its way) or `inner` (between) sixths
  // of a round after the leg before it, and microbatches follow each other by one round. Loose: what is
  // first in the timetable among what can run, rather than what is first.
  std::int32_t outer = 3, inner = 3;
  bool loose = false;

  // Greedy and woven: a weight gradient is not begun where it would delay the next task that is known to
  // come.
  bool patient = false;
};

// Plans with each rule, keeps the plan of least longest turn (of a stage, from its first task to its last)
// among those that end no later than the first rule's, and appends it to `out`. No stage holds more than
// `limit` activations, from the forward to the weight gradient. Needs at least as many as chunks on a stage.
void order_planned(const PipelineShape&, std::span<const ChunkTimes>, std::int32_t limit,
                   std::span<const Rule> rules, Csr<Task>& out);

}  // namespace echo::timeline
