// One step of a profile as the ops of one rank, in the order the host issued them.
#pragma once

#include <cstdint>

#include "trace_io/kineto/kineto_step.hpp"
#include "trace_io/model/comm_groups.hpp"

namespace echo::trace_io {

// Facts that could not be determined, for the trace's notes.
struct GraphDoubts {
  std::int64_t unsized = 0;                // collectives without size or members
  std::int64_t unpaired = 0;               // communication kernels of which only the time is known
  std::int64_t synchronised_by_guess = 0;  // waits between streams, worked out from order and times
  std::int64_t without_strides = 0;
  std::int64_t blocked = 0;  // launches that waited for room in the GPU's queue
};

// Says them.
void add_notes(const GraphDoubts&, trace::Trace&);

// Appends the rank to the trace that `tables` fills.
//
// The host's time between two ops is what it took from call to call, without what a launch waited for room in
// the queue: the driver holds about a thousand launches, and the replay fills that queue again.
//
// Order between streams: as the driver recorded it (events of category cuda_sync). Where the profile has
// none, a NCCL kernel waits for what was issued before it, as PyTorch's ProcessGroupNCCL does; and an op
// issued after cudaStreamWaitEvent waits for as many other streams as there were such calls, those that had
// finished last before it started.
[[nodiscard]] trace::RankTrace rank_of_step(KinetoStep&, std::int32_t rank, TraceTables& tables, CommGroups&,
                                            GraphDoubts&);

}  // namespace echo::trace_io
