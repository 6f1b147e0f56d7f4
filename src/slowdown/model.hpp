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

// White box: the collective's CTAs take SMs from the kernel, both share HBM bandwidth by demand. Formula:
// model.cpp.
struct Contention {
  // SMs one NCCL channel occupies. A channel is one CTA (NCCL user guide, ncclConfig_t::maxCTAs), resident
  // until the collective ends; its shared memory leaves no room for a GEMM CTA on the same SM.
  double sm_per_channel = 1.0;
  // How much of the excess of summed HBM demand over `sustained_memory` is felt: 1 = bandwidth is divided in
  // proportion to demand, 0 = not at all.
  double memory_interference = 1.0;
  // Fraction of peak HBM bandwidth that mixed traffic sustains. The busiest of the 619 kernels in
  // Echo-slowdown's A100 table (NetX-lab/Echo-slowdown) draws 87.5 % of it; nothing there runs nearer to
  // peak.
  double sustained_memory = 0.9;
  // Extra slowdown of any collective beside a kernel that fills all SMs (waiting for SMs at launch). No
  // public measurement separates it from bandwidth sharing, so it stays 0.
  double collective_floor = 0.0;
  friend bool operator==(const Contention&, const Contention&) = default;
};

using Model = std::variant<Contention, NoSlowdown>;  // a closed set: it is serialised and broadcast

struct Machine {
  std::int32_t sm_count = 0;
  double memory_bandwidth = 0.0;  // bytes per second
};

struct Factors {
  double kernel = 1.0, collective = 1.0;  // >= 1
  friend bool operator==(const Factors&, const Factors&) = default;
};
// Contract: sm_count and memory_bandwidth are positive; shares lie in 0..1. Both factors are >= 1 and never
// fall when channels, memory_rate, sm_share or memory_share rise.
[[nodiscard]] Factors predict(const Model&, const ops::KernelPrice&, const ops::CollectiveEstimate&,
                              const Machine&);

// Dense tables, [kernels][collectives] row-major, both >= 1. Reuses the vectors.
void fill_table(const Model&, std::span<const ops::KernelPrice>, std::span<const ops::CollectiveEstimate>,
                const Machine&, std::vector<double>& kernel_factor, std::vector<double>& collective_factor);

}  // namespace echo::slowdown
