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
  std::vector<std::int32_t> stages;    // stages to draw; empty = all, or with `ranks` none
  std::vector<std::int32_t> ranks;     // gpu ranks to draw, each as a process of its own
  bool has_ops = true;                 // draw the ops of tasks, too
  std::int64_t most_events = 200'000;  // beyond it, ops of microbatches are omitted, then their tasks
};

struct TraceSize {
  std::int64_t events = 0;                                              // at most TraceRequest::most_events
  std::int32_t microbatches_with_tasks = 0, microbatches_with_ops = 0;  // the first ones, and the last
};

// A process a stage, or a gpu rank where asked, which does what its stage does: a thread of what its compute
// lane does (tasks with how their time splits, and what it waits for), threads of ops by lane, transfers to
// the neighbours with arrows, counters of activations and memory held. memory: [stages], as estimated; the
// counter moves by equal shares of the activations it holds at most. A path that ends in .gz is compressed.
// UserError, 5, where it cannot be written; 2, where most_events does not suffice for the names of what is
// drawn.
TraceSize trace_step(const simulate::StepTimeline&, const simulate::SimulatedStep&,
                     const training::TrainingConfig&, std::span<const training::MemoryUse> memory,
                     std::string_view title, const TraceRequest&, const std::filesystem::path&);

}  // namespace echo::explain
