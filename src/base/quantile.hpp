// Order statistics of measured values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/contract.hpp"

namespace echo {

// Quantile of sorted values, interpolated linearly between neighbours: share 0 is the first value, 1 the
// last. Contract: at least one value, 0 <= share <= 1.
[[nodiscard]] inline double quantile(const std::vector<double>& sorted, double share) {
  ECHO_EXPECT(!sorted.empty());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// The mean of the two in the middle where their number is even. Contract: at least one value.
[[nodiscard]] inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

}  // namespace echo
