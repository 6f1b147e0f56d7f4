// Writes one simulated step as a trace for Perfetto.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "simulate/unfold/step_timeline.hpp"
#include "training/config.hpp"
#include "training/memory/memory.hpp"

namespace echo::explain {

struct TraceRequest {
  std::vector<std::int32_t> stages;    // stages to draw; empty = all
  std::int64_t most_events = 200'000;  // beyond it, ops of microbatches are omitted
};

struct TraceSize {
  std::int64_t events = 0;
  std::int32_t microbatches_with_ops = 0;  // counted from the first, plus the last
};

// One process per stage: a thread of its compute lane (tasks with the split of their time, and waits),
// threads of ops by lane, transfers to the neighbours with arrows, counters of activations and memory.
// memory: [stages], as estimated; the counter changes by equal shares of the peak of the activations. A file
// whose name ends in .gz is compressed. UserError 5 if it cannot be written.
TraceSize trace_step(const simulate::StepTimeline&, const simulate::Workspace&,
                     const training::TrainingConfig&, std::span<const training::MemoryUse> memory,
                     std::string_view title, const TraceRequest&, const std::filesystem::path&);

}  // namespace echo::explain
