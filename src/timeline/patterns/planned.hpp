// Orders planned from the times of the chunks: zero-bubble schedules.
#pragma once

#include <cstdint>
#include <span>

#include "timeline/schedule.hpp"

namespace echo::timeline {

// How a stage chooses its next task.
struct Rule {
  enum class Kind : std::int8_t { paced, greedy, woven } kind = Kind::greedy;

  // Paced, one chunk per stage: a fixed order. Stage s keeps window * (stages - s) + window_shift forwards
  // ahead of its backwards, and its weight gradients delay * s behind them.
  std::int32_t window = 1, window_shift = 0, delay = 0;

  // Greedy, one chunk per stage: any task that can run, alternately forwards and backwards if both can.

  // Woven, two chunks per stage in a V-shaped placement: forwards and backwards follow an ideal timetable, in
  // which a microbatch starts each leg half a round after the previous one, and the next microbatch starts
  // one round after it.
  bool fills_warm_up = false;  // until its first backward a stage runs all forwards it can
  bool patient = false;        // no weight gradient that would delay the next known task
};

// Whether a full simulation of a rule would be long, so that it is folded.
[[nodiscard]] constexpr bool plays_are_long(const PipelineShape& shape) {
  constexpr std::int32_t few_tasks = 4096;
  return 3 * shape.chunks * shape.microbatches > few_tasks;
}

// Whether a simulation stops once it repeats. Off only in tests that compare the two.
enum class Folding : bool { off, on };
inline thread_local Folding folding_of_plans = Folding::on;

// Plans with each rule and writes to `out` the plan with the shortest maximum turn (of a stage, from its
// first task to its last) among those that end no later than the first rule's. A rule that deadlocks for lack
// of memory is skipped, except the first. No stage holds more than `limit` activations, each from the forward
// to the weight gradient. Precondition: `limit` is at least the number of chunks per stage.
void order_planned(const PipelineShape&, std::span<const ChunkTimes>, std::int32_t limit,
                   std::span<const Rule> rules, Csr<Task>& out);

}  // namespace echo::timeline
