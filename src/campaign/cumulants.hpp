// The first three cumulants of a random time: they add where independent times follow each other.
#pragma once

namespace echo::campaign {

// Seconds, seconds^2, seconds^3: the mean, the variance, the third central moment.
struct Cumulants {
  double mean = 0.0, variance = 0.0, third = 0.0;

  friend constexpr Cumulants operator+(const Cumulants& a, const Cumulants& b) {
    return {a.mean + b.mean, a.variance + b.variance, a.third + b.third};
  }
  // The sum of `count` independent times; count need not be whole.
  friend constexpr Cumulants operator*(double count, const Cumulants& one) {
    return {count * one.mean, count * one.variance, count * one.third};
  }
};

// E x, E x^2, E x^3.
struct Moments {
  double first = 0.0, second = 0.0, third = 0.0;

  friend constexpr Moments operator*(double chance, const Moments& m) {
    return {chance * m.first, chance * m.second, chance * m.third};
  }
};

[[nodiscard]] constexpr Moments moments_of(const Cumulants& c) {
  const double m = c.mean;
  return {m, c.variance + m * m, c.third + 3.0 * m * c.variance + m * m * m};
}
[[nodiscard]] constexpr Cumulants cumulants_of(const Moments& m) {
  const double a = m.first;
  return {a, m.second - a * a, m.third - 3.0 * a * m.second + 2.0 * a * a * a};
}

}  // namespace echo::campaign
