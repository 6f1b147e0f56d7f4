// What running a program keeps: its buffers, and of the last run all that the search for its critical path
// reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/pipeline/lanes.hpp"
#include "timeline/pipeline/program.hpp"
#include "timeline/pipeline/stage.hpp"

namespace echo::timeline {

inline constexpr std::size_t most_cases = 3;

struct ProgramRun {
  ProgramMemo programs;
  // A slot of Move::slot: the duration of each case, the blocking transfer before it, the transfer after it.
  std::vector<TimePair> slots;            // [9 * chunks][width + 2]
  std::vector<TimePair> stages, earlier;  // [stages][3][width] now, and at an earlier cut
  std::vector<StageState> states;         // [stages][most_cases] of which only gather_wait and data_end count
  // When the input of a leg arrived; where its reader was still to run when repeats were skipped, as shifted.
  RawBuffer<TimePair> ready;  // [microbatches + 1][3 * chunks][width]
  RawBuffer<double>
      ends;  // [microbatches][3 * chunks] of tasks of the last case; of overlapped transfers only

  // The last run.
  const Program* program = nullptr;
  std::size_t cases = 0;
  bool overlapped = false;
  std::int32_t repeats_run = 0;  // others were skipped:
  std::int32_t skipped = 0;      // microbatches,
  double skipped_time = 0.0;     // of the last case

  [[nodiscard]] std::size_t width() const { return width_of(cases); }
};

}  // namespace echo::timeline
