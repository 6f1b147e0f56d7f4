// What running a program keeps: its buffers, and of the last run all that the search for its critical path
// and runs that share its body read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/pipeline/lanes.hpp"
#include "timeline/pipeline/program.hpp"
#include "timeline/pipeline/stage.hpp"
#include "timeline/pipeline/trail.hpp"

namespace echo::timeline {

inline constexpr std::size_t most_cases = 3;

// The walk of a critical path through the body of a program, from the start of a task back to that of the
// step.
struct BodyWalk {
  std::int32_t from = -1;       // place of the task
  std::vector<LegCounts> legs;  // [3 * chunks] what it counts
  ChunkId gathered;
};

struct ProgramRun {
  // A slot of Move::slot: the duration in each lane, the blocking transfer before it, the transfer after it.
  std::vector<TimePair> slots;            // [9 * chunks][width + 2]
  std::vector<TimePair> stages, earlier;  // [stages][3][width] now, and at an earlier cut
  std::vector<StageState> states;  // [stages][lanes] of which only gather_wait and data_end count in a run
  // When the input of a leg arrived; where its reader was still to run when repeats were skipped, as shifted.
  RawBuffer<TimePair> ready;  // [microbatches + 1][3 * chunks][width]
  RawBuffer<double>
      ends;  // [microbatches][3 * chunks] of tasks of the path's lane; of overlapped transfers only

  // The last run.
  const Program* program = nullptr;
  std::size_t width = 1;      // of its lanes, in pairs
  std::size_t path_lane = 0;  // that of the last case
  bool overlapped = false;

  // Its body, which later runs with the same one need not run again.
  std::int64_t body_of = -1;           // Program::number; -1: none is kept
  std::vector<SimTime> body, asked;    // all durations that it depends on; scratch: those of a run
  std::vector<TimePair> stages_after;  // `stages`
  std::vector<SimTime> gather_wait;    // [stages][lanes]
  std::vector<std::uint8_t> gathered;  // [chunks][lanes] whether its first forward waited for weights
  std::int64_t body_tasks = 0;
  std::int32_t repeats_run = 0;  // others were skipped:
  std::int32_t skipped = 0;      // microbatches,
  double skipped_time = 0.0;     // of the last case,
  std::int32_t cycle = 0;        // whole cycles of so many microbatches,
  std::int32_t run_before = 0;   // behind so many repeats
  std::vector<BodyWalk> walks;   // the first `walks_known` of them
  std::size_t walks_known = 0;

  [[nodiscard]] std::size_t lanes() const { return 2 * width; }
};

}  // namespace echo::timeline
