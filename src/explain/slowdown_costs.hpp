// Which kernels of a row pay for overlapping with which collectives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "simulate/simulated_step.hpp"
#include "text/json.hpp"
#include "training/config.hpp"

namespace echo::explain {

// A kernel beside a collective, over a step of one GPU of the busiest stage.
struct SlowdownCost {
  ops::KernelKey kernel;
  std::string part, collective;  // "dp_comm", "reduce_scatter"
  std::int32_t ranks = 1, nodes = 1, channels = 0;
  SimTime beside{};                          // how long they run at once
  SimTime kernel_lost{}, collective_lost{};  // how much longer each takes because of the other
};

// Largest loss of a kernel first; pairs that cost nothing are left out. `blocks`: how often the step runs
// each of its blocks.
[[nodiscard]] std::vector<SlowdownCost> slowdown_costs(const simulate::SimulatedStep&,
                                                       const std::vector<std::int64_t>& blocks,
                                                       ops::KernelLibrary);

// A table, and how much of the step the kernels lose; empty where nothing does.
[[nodiscard]] std::string slowdown_text(const std::vector<SlowdownCost>&, SimTime step, std::int32_t stage);
// The member "slowdown_pairs" of an open object.
void add_slowdown_costs(text::Json&, const std::vector<SlowdownCost>&);

}  // namespace echo::explain
