// Lists kernels to measure, as a table that echo-profile reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/kernel_gaps.hpp"

namespace echo::explain {

struct WantedKernels {
  std::vector<KernelGap> kernels;  // largest possible effect on the step first
  std::size_t points = 0;          // points that run them
  std::string problem;             // inputs of the result that are now missing or changed; empty = none
};

// Kernels of the `points` best feasible rows of a result file, without those in its profiles.
// UserError 2: no row is feasible, or its presets are gone.
[[nodiscard]] WantedKernels gaps_of_result(const std::string& file, std::int64_t points,
                                           const std::vector<std::string>& preset_paths);

struct SweepChoice {
  std::string file;
  std::vector<std::string> sets, profiles, preset_paths;
};
// Kernels of `points` points spread evenly over a sweep, or of all if there are fewer. UserError 2.
[[nodiscard]] WantedKernels kernels_of_sweep(const SweepChoice&, std::int64_t points);

// One row per kernel: gpu, every member of its key, then share, error, price and points of KernelGap.
[[nodiscard]] std::string wanted_csv(const std::vector<KernelGap>&);

}  // namespace echo::explain
