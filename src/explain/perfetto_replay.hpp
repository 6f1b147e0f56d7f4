// Writes a replayed step as a trace for Perfetto.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "simulate/replay/replay_scratch.hpp"

namespace echo::explain {

struct ReplayTraceRequest {
  std::vector<std::int32_t> ranks;     // gpu ranks of the trace to draw; empty = those that it holds
  std::int64_t most_events = 200'000;  // beyond it, the shortest ops are omitted
};

struct ReplayTraceSize {
  std::int64_t events = 0;  // at most ReplayTraceRequest::most_events
  std::int64_t ops = 0;     // of the ranks drawn, that take time
  std::int64_t drawn = 0;   // of these
};

// A process a gpu rank: a thread for each stream (of ops without a stream for each kind), and one for what
// its host waits for. A rank that the trace holds through another, which does the same, is drawn as that one.
// An op says its time alone, the part of the step that it counts for, and when its host issued it.
// Preconditions: the scratch is that of a simulate() whose report is ok. A path that ends in .gz is
// compressed. UserError, 5, where it cannot be written; 2, where the trace knows no such rank, or most_events
// does not suffice for the names.
ReplayTraceSize trace_replay(const simulate::ReplayScratch&, std::string_view title,
                             const ReplayTraceRequest&, const std::filesystem::path&);

}  // namespace echo::explain
