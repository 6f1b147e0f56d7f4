// Rows of each expert of a rank, as a few groups of equally loaded experts.
#pragma once

#include <array>
#include <cstdint>

#include "ops/kernel.hpp"

namespace echo::kernels {

struct ExpertLoads {
  static constexpr std::int32_t most_groups = 16;
  std::array<double, most_groups> rows{};  // of each expert of the group
  std::int32_t groups = 0;
  double experts = 0.0;  // in each group
  bool even = true;      // whole numbers of rows, the same everywhere
};

[[nodiscard]] ExpertLoads even_loads(double rows_an_expert, std::int32_t experts);
[[nodiscard]] ExpertLoads loads_of(const ops::KernelKey& expert_ffn);

// The next whole number. Precondition: 0 <= x < 2^63. (std::ceil is a function call on the oldest supported
// machines.)
[[nodiscard]] inline double rounded_up(double x) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole < x ? whole + 1.0 : whole;
}

// Rows of a group's expert, padded to blocks of `block` rows: exact if loads are even, else the mean over
// loads around this one.
[[nodiscard]] double padded(const ExpertLoads& loads, std::int32_t group, double block,
                            double one_over_block);

}  // namespace echo::kernels
