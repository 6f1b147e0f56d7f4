// The loop of one worker: claim ids, simulate each, emit rows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/memo_counts.hpp"
#include "simulate/prices/packet_memory.hpp"
#include "sweep/run/row.hpp"
#include "sweep/space/design_space.hpp"

namespace echo::sweep {

struct SweepSummary {
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
  std::vector<Failure> failures;            // the first hundred
  simulate::MemoCounts memos;
};

// Until `source` has no more ids. Points of a claim are visited in the order in which their steps share most,
// for a fraction of a second at a time, and their rows handed on in the order of their numbers. Whatever
// simulate() throws becomes a failed row, and so does a poisoned point; nothing else is caught. A refusal of
// memory is no failure of the point: it is tried once more without what earlier points left, then thrown.
// Rows that break a limit of the sweep are infeasible. While the source is stopping, what is claimed is left
// undone. `memory`: where packets are simulated.
SweepSummary run_sweep(const DesignSpace&, const simulate::Catalog&, const simulate::Calibration&,
                       WorkSource& source, RowSink& sink, const simulate::PacketMemory& memory = {});

}  // namespace echo::sweep
