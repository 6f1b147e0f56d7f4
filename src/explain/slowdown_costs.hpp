// The time that kernels and collectives of a row lose by overlapping.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "simulate/simulated_step.hpp"
#include "text/json.hpp"
#include "training/config.hpp"

namespace echo::explain {

// A kernel that overlaps with a collective, summed over a step of one GPU of the busiest stage.
struct SlowdownCost {
  ops::KernelKey kernel;
  std::string part, collective;  // "dp_comm", "reduce_scatter"
  std::int32_t ranks = 1, nodes = 1, channels = 0;
  SimTime beside{};                          // time during which both run
  SimTime kernel_lost{}, collective_lost{};  // time that each loses because of the other
};

// Largest loss of a kernel first; pairs that cost nothing are left out. `blocks`: how often the step runs
// each of its blocks.
[[nodiscard]] std::vector<SlowdownCost> slowdown_costs(const simulate::SimulatedStep&,
                                                       const std::vector<std::int64_t>& blocks,
                                                       ops::KernelLibrary);

// A table, and the share of the step that kernels lose; empty if nothing is lost.
[[nodiscard]] std::string slowdown_text(const std::vector<SlowdownCost>&, SimTime step, std::int32_t stage);
// Adds the member "slowdown_pairs" to the open object.
void add_slowdown_costs(text::Json&, const std::vector<SlowdownCost>&);

}  // namespace echo::explain
