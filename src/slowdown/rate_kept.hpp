// Treatment of inputs and outputs of a learned function, common to a model and its flat bytes.
#pragma once

#include <algorithm>
#include <limits>

#include "slowdown/contention.hpp"
#include "slowdown/learned.hpp"

namespace echo::slowdown {

// A feature clamped to the range of training; NaN and features absent in training stay unknown.
[[nodiscard]] inline double held(double feature, Range seen) {
  if (seen.low > seen.high) return std::numeric_limits<double>::quiet_NaN();
  return feature < seen.low ? seen.low : feature > seen.high ? seen.high : feature;
}

// Base and residual as one rate, clamped to the range of training extended by the base. If neither base nor
// residual rises with a feature, the rate does not. > 0 for a sound model.
[[nodiscard]] inline double kept_of(double base, double residual, Range seen) {
  return std::clamp(base * residual, std::min(seen.low, base), std::max(seen.high, base));
}

[[nodiscard]] inline double factor_of(double kept) { return 1.0 / std::min(1.0, kept); }

}  // namespace echo::slowdown
