// Student's t distribution with four degrees of freedom: the law of errors between publications, whose tails
// are heavier than a normal distribution's.
#pragma once

#include <cmath>

namespace echo {

// P(T <= t). Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4, nu = 4.
[[nodiscard]] inline double student_t4_cdf(double t) {
  const double r = t * t / (4.0 + t * t);  // sin^2 of the angle whose tangent is t / 2
  return 0.5 + (t < 0.0 ? -0.5 : 0.5) * std::sqrt(r) * (1.0 + 0.5 * (1.0 - r));
}

// The t for which P(T <= t) = p, to 1e-9. Contract: 0 < p < 1, and t within +-1e4.
[[nodiscard]] inline double student_t4_quantile(double p) {
  double low = -1e4, high = 1e4;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (student_t4_cdf(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace echo
