// A simulated step as a trace: the generated ops of a GPU rank, as a tool would have recorded them.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/catalog.hpp"
#include "simulate/unfold/step_timeline.hpp"
#include "trace/trace.hpp"

namespace echo::simulate {

struct StepTraceRequest {
  std::vector<std::int32_t> ranks;       // global, to be written one by one; empty: the first of every
                                         // stage, which stands for all of it
  std::int64_t most_nodes = 20'000'000;  // of all ranks together
};

struct StepTrace {
  trace::Trace trace;
  std::vector<std::vector<TimeCategory>> parts;  // [ranks][nodes] what a node's time counts as in a report
};

// Contract: the timeline and the step as unfold_step left them, of a config whose report is ok. Durations are
// of each op alone, without slowdown; the host's time per step is the gap of the first op; its time per op
// is not recorded. Streams are those of base/lane.hpp, then those of transfers between stages. Throws
// UserError where a rank is not of the job, or nodes are too many.
[[nodiscard]] StepTrace generate_trace(const StepTimeline&, const training::TrainingConfig&, const Catalog&,
                                       const SimulatedStep&, const StepTraceRequest& = {});

}  // namespace echo::simulate
