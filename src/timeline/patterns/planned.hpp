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

  // Greedy, one chunk on a stage: whatever can run, forwards and backwards in turn where both can.

  // Woven, two chunks on a stage placed like a V: forwards and backwards go by an ideal timetable, in which a
  // microbatch starts its next leg half a round after the one before, and the next microbatch starts one
  // round after it.
  bool fills_warm_up = false;  // until its first backward a stage runs what forwards it can, not to wait
  bool patient = false;        // no weight gradient that would delay the next task that is known to come
};

// Whether playing a rule through in full would be long, so that it is folded.
[[nodiscard]] constexpr bool plays_are_long(const PipelineShape& shape) {
  constexpr std::int32_t few_tasks = 4096;
  return 3 * shape.chunks * shape.microbatches > few_tasks;
}

// Whether a play that repeats itself is played only until it does. Off only where tests compare the two.
enum class Folding : bool { off, on };
inline thread_local Folding folding_of_plans = Folding::on;

// Plans with each rule, keeps the plan of least longest turn (of a stage, from its first task to its last)
// among those that end no later than the first rule's, and writes it to `out`. A rule that gets stuck for
// want of memory is passed over, but not the first. No stage holds more than `limit` activations, from the
// forward to the weight gradient. Needs at least as many as chunks on a stage.
void order_planned(const PipelineShape&, std::span<const ChunkTimes>, std::int32_t limit,
                   std::span<const Rule> rules, Csr<Task>& out);

}  // namespace echo::timeline
