// The white-box slowdown model: contention of a kernel and a collective that share one GPU.
#pragma once

#include <cstdint>

#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::slowdown {

// White box: the collective's CTAs take SMs from the kernel, both share HBM bandwidth by demand, and what the
// collective moves delays each access of the kernel to memory. Formula and sources: contention.cpp.
struct Contention {
  // SMs one NCCL channel occupies. A channel is one CTA (NCCL user guide, ncclConfig_t::maxCTAs), resident
  // until the collective ends; it shares an SM with no other kernel (NVIDIA/nccl issue 689).
  double sm_per_channel = 1.0;
  // Effect of the excess of summed HBM demand over `sustained_memory`: 1 = bandwidth is divided in proportion
  // to demand, 0 = none.
  double memory_interference = 1.0;
  // Fraction of peak HBM bandwidth that mixed traffic sustains. The busiest of the 619 kernels in
  // Echo-slowdown's A100 table (NetX-lab/Echo-slowdown) draws 87.5 % of it; none is closer to peak.
  double sustained_memory = 0.9;
  // Extra slowdown of any collective beside a kernel that fills all SMs (it waits for SMs at launch). No
  // public measurement separates it from bandwidth sharing, so it is 0.
  double collective_floor = 0.0;
  // How much longer a kernel that does nothing but wait for memory takes for each part of HBM bandwidth that
  // the collective draws: 1 + latency_under_load * v. Fitted to public profiles (`echo-calibrate overlaps`).
  double latency_under_load = 4.8;
  friend bool operator==(const Contention&, const Contention&) = default;
};

struct Machine {
  std::int32_t sm_count = 0;
  double memory_bandwidth = 0.0;  // bytes per second
};

struct Factors {
  double kernel = 1.0, collective = 1.0;  // >= 1
  double load = 0.0;                      // the part of `kernel` that is the wait for memory under load
  friend bool operator==(const Factors&, const Factors&) = default;
};

// Slowdown of a pair by each cause, >= 1: C, M and L of contention.cpp.
struct Stretch {
  double sms = 1.0, memory = 1.0, latency = 1.0;
};
[[nodiscard]] Stretch stretch_of(const Contention&, const ops::KernelPrice&, const ops::CollectiveEstimate&,
                                 const Machine&);

// Contract: sm_count, memory_bandwidth and sustained_memory are positive. Both factors are >= 1 and never
// fall when channels, memory_rate, sm_share, memory_share or by_memory rise. Shares are clamped to 0..1.
// Without channels (copy engines) only HBM is shared.
[[nodiscard]] Factors contend(const Contention&, const ops::KernelPrice&, const ops::CollectiveEstimate&,
                              const Machine&);

}  // namespace echo::slowdown
