// Student's t distribution: the law of errors between publications, with four degrees of freedom, whose tails
// are heavier than a normal distribution's; with more once runs of a machine are known.
#pragma once

#include <cmath>
#include <numbers>

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

// P(T <= t) of any whole number of degrees of freedom > 0. Source: Abramowitz and Stegun, 26.7.3 and 26.7.4.
[[nodiscard]] inline double student_t_cdf(double t, int freedom) {
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(freedom)));
  const double cosine = std::cos(angle), square = cosine * cosine;
  const bool is_odd = freedom % 2 != 0;
  double term = is_odd ? cosine : 1.0, sum = 0.0;
  for (int i = is_odd ? 1 : 0; i + 2 <= freedom; i += 2) {
    sum += term;
    term *= square * (i + 1.0) / (i + 2.0);
  }
  const double between = is_odd ? 2.0 / std::numbers::pi * (angle + std::sin(angle) * sum)
                                : std::sin(angle) * sum;  // P(-|t| < T < |t|)
  return 0.5 + (t < 0.0 ? -0.5 : 0.5) * between;
}

// Its quantile, to 1e-12. Contract: 0 < p < 1, and t within +-1e4.
[[nodiscard]] inline double student_t_quantile(double p, int freedom) {
  double low = -1e4, high = 1e4;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (student_t_cdf(middle, freedom) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace echo
