// The blocks of each task of a step, such that the ops of a step add up to its report.
#pragma once

#include <vector>

#include "simulate/unfold/step_timeline.hpp"

namespace echo::simulate {

struct TaskBlocks {
  std::vector<workload::BlockRun> runs;  // one after the other
  // What of them ran before, of a last backward that is split: its block is of both halves, and the input
  // gradients had to leave early.
  std::vector<workload::BlockRun> done;
  bool gathers_ahead = false;  // gathers that need nothing started with the step (ZeRO-1 and 2)
};

// Contract: a slice of unfold_step whose kind is task, and the step it left.
[[nodiscard]] TaskBlocks blocks_of(const Slice&, const SimulatedStep&);

}  // namespace echo::simulate
