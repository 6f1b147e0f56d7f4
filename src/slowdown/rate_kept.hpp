// What is done around a learned function, alike for a model and for its flat bytes.
#pragma once

#include <algorithm>
#include <limits>

#include "slowdown/contention.hpp"
#include "slowdown/learned.hpp"

namespace echo::slowdown {

// A feature as training could have seen it; NaN, and what training never saw, stay unknown.
[[nodiscard]] inline double held(double feature, Range seen) {
  if (seen.low > seen.high) return std::numeric_limits<double>::quiet_NaN();
  return feature < seen.low ? seen.low : feature > seen.high ? seen.high : feature;
}

// Base and residual as one rate: inside what training saw, widened by what the base says. Where neither base
// nor residual rises with a feature, the rate does not. > 0 for a sound model.
[[nodiscard]] inline double kept_of(double base, double residual, Range seen) {
  return std::clamp(base * residual, std::min(seen.low, base), std::max(seen.high, base));
}

[[nodiscard]] inline double factor_of(double kept) { return 1.0 / std::min(1.0, kept); }

}  // namespace echo::slowdown
