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

  // Woven, two chunks on a stage placed like a V: forwards and backwards go by an ideal timetable, in which
  // every microbatch starts one round after the one before it. What they differ in is how long a microbatch
  // takes from leg to leg: longer leaves room for the weight gradients in between, shorter holds less memory.
  enum class Timetable : std::int8_t { v_zb, v_half, v_min } timetable = Timetable::v_zb;
  bool fills_warm_up = false;  // until its first backward a stage runs what forwards it can, not to wait
  bool patient = false;        // no weight gradient that would delay the next task that is known to come
};

// Plans with each rule, keeps the plan of least longest turn (of a stage, from its first task to its last)
// among those that end no later than the first rule's, and writes it to `out`. A rule that gets stuck for
// want of memory is passed over, but not the first. No stage holds more than `limit` activations, from the
// forward to the weight gradient. Needs at least as many as chunks on a stage.
void order_planned(const PipelineShape&, std::span<const ChunkTimes>, std::int32_t limit,
                   std::span<const Rule> rules, Csr<Task>& out);

}  // namespace echo::timeline
