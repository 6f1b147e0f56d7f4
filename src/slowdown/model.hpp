// Slowdown of a kernel and a collective that run concurrently.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "ops/collective.hpp"
#include "ops/kernel.hpp"
#include "slowdown/contention.hpp"

namespace echo::slowdown {

// No slowdown: the counterfactual for step_time_no_slowdown.
struct NoSlowdown {
  friend bool operator==(const NoSlowdown&, const NoSlowdown&) = default;
};

using Model = std::variant<Contention, NoSlowdown>;  // a closed set: it is serialised and broadcast

// Contract: sm_count and memory_bandwidth are positive; shares lie in 0..1. Both factors are >= 1 and never
// fall when channels, memory_rate, sm_share, memory_share or by_memory rise; they are 1 if the other uses
// neither SMs nor HBM.
[[nodiscard]] Factors predict(const Model&, const ops::KernelPrice&, const ops::CollectiveEstimate&,
                              const Machine&);

// Dense tables of Factors, [kernels][collectives] row-major.
struct Tables {
  std::vector<double>&kernel_factor, &collective_factor, &load_loss;

  void clear() const;
};
// Reuses the vectors.
void fill_table(const Model&, std::span<const ops::KernelPrice>, std::span<const ops::CollectiveEstimate>,
                const Machine&, const Tables&);

}  // namespace echo::slowdown
