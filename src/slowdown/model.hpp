// How much longer a kernel and a collective take while they run beside each other.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::slowdown {

// Nothing slows: the counterfactual behind step_time_no_slowdown.
struct NoSlowdown {
  friend bool operator==(const NoSlowdown&, const NoSlowdown&) = default;
};

// White box: the collective's CTAs take SMs from the kernel, both share HBM bandwidth by demand.
struct Contention {
  double sm_per_channel = 1.0;        // SMs one NCCL channel occupies
  double memory_interference = 1.0;   // how strongly summed HBM demand above what the part sustains costs both
  double sustained_memory = 0.9;      // fraction of peak HBM bandwidth that mixed traffic reaches
  double collective_floor = 0.0;      // extra slowdown of any collective beside a kernel that fills all SMs
  friend bool operator==(const Contention&, const Contention&) = default;
};

using Model = std::variant<Contention, NoSlowdown>;  // a closed set: it is serialised and broadcast

struct Machine {
  std::int32_t sm_count = 0;
  double memory_bandwidth = 0.0;  // bytes per second
};

struct Factors {
  double kernel = 1.0, collective = 1.0;  // >= 1
};
[[nodiscard]] Factors predict(const Model&, const ops::KernelPrice&, const ops::CollectiveEstimate&, const Machine&);

// Dense tables, [kernels][collectives] row-major, both >= 1. Reuses the vectors.
void fill_table(const Model&, std::span<const ops::KernelPrice>, std::span<const ops::CollectiveEstimate>,
                const Machine&, std::vector<double>& kernel_factor, std::vector<double>& collective_factor);

}  // namespace echo::slowdown
