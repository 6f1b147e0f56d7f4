// Stages x microbatches -> the pipelined part of a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/units.hpp"
#include "timeline/schedule.hpp"

namespace echo::timeline {

// Transfers between neighbouring chunks c -> c+1 (forward) and c+1 -> c (backward); [chunks - 1] each.
struct Hops {
  std::span<const SimTime> forward, backward;
  bool overlapped = false;  // false: sender and receiver wait for the transfer (Megatron without --overlap-p2p)
};

// Gradient traffic of the last backward of each chunk, on the data lane: from the start of that backward its first
// transfer may begin `first_start` later; the transfers take `busy` in all and outlast the chunk by `lag`.
struct DataLane {
  SimTime first_start{}, busy{}, lag{};
};

struct StageTimes {
  SimTime compute_end{};  // its last task ends
  SimTime data_end{};     // its gradient traffic ends (>= 0; 0 when none)
  SimTime busy{};         // sum of its task durations
  SimTime hop_wait{};     // compute time lost inside blocking transfers themselves (not waiting for the partner)
};

struct PipelineTimes {
  SimTime end{};                    // max over stages of max(compute_end, data_end)
  std::vector<StageTimes> stages;   // [stages]; reused by the caller
};

// A task as it ran; filled only when asked for (traces, tests).
struct PlacedTask {
  std::int32_t stage = 0;
  Task task;
  SimTime start{}, end{};
};

class PipelineScratch {
 public:
  Csr<Task> order;
  std::vector<SimTime> forward_ready, backward_ready, clock;
  std::vector<std::int32_t> head;
};

// Contract: the schedule admits `shape`; times, data: [chunks]. Deterministic. Integer picoseconds.
// Throws ContractViolation if the order deadlocks. `placed`, when not null, receives every task.
void compose_pipeline(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
                      const Hops& hops, std::span<const DataLane> data, PipelineScratch& scratch, PipelineTimes& out,
                      std::vector<PlacedTask>* placed = nullptr);

}  // namespace echo::timeline
