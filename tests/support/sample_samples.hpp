// Seeded rows to learn from: a smooth falling surface with noise, some features unknown, uneven weights.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "base/counter_rng.hpp"
#include "learn/fit/fit.hpp"

namespace echo::testing {

// Falls with features 0 and 1; feature 2 bends it, the rest say nothing.
inline learn::Samples sample_samples(std::uint64_t seed, std::size_t rows, std::size_t features,
                                     double noise = 0.02, double unknown = 0.1) {
  learn::Samples samples;
  for (std::size_t i = 0; i < features; ++i) samples.features.push_back("feature_" + std::to_string(i));
  for (std::size_t row = 0; row < rows; ++row) {
    const auto unit = [&](std::uint64_t number) { return draw_unit(seed, row, number); };
    for (std::size_t i = 0; i < features; ++i)
      samples.values.push_back(unit(i) < unknown ? std::numeric_limits<double>::quiet_NaN()
                                                 : 4.0 * unit(100 + i) - 1.0);
    const double a = 4.0 * unit(100) - 1.0, b = 4.0 * unit(101) - 1.0, c = 4.0 * unit(102) - 1.0;
    const double surface = 1.0 / (1.5 + a) + 0.2 / (1.0 + std::exp(3.0 * b)) + 0.1 * std::sin(2.0 * c);
    samples.target.push_back(surface + noise * (unit(200) - 0.5));
    samples.weight.push_back(0.2 + unit(201));
  }
  return samples;
}

}  // namespace echo::testing
