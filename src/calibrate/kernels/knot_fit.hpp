// Fits knots to the residuals of a model.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/knots.hpp"

namespace echo::calibrate {

// One measurement: where on the grid, how far the model is off, how much it counts.
struct KnotSample {
  std::array<double, 3> point{};  // octaves
  double log_ratio = 0.0;         // log(measured / modelled)
  double weight = 1.0;
};

// Knots on the given grid that minimise
//   sum of weight |log_ratio - knots| / sum of weight + stiffness * mean squared second difference along the
//   axes
//     + shrink * mean squared knot,
// the absolute value smoothed below 1 %. `stiffness` keeps neighbours in line where there are few samples,
// `shrink` draws knots without any to no correction. Deterministic.
struct KnotGrid {
  std::array<std::vector<double>, 3> at;  // octaves, ascending
  double stiffness = 0.1, shrink = 1e-3;
};
[[nodiscard]] kernels::Knots fit_knots(const KnotGrid& grid, std::span<const KnotSample> samples);

}  // namespace echo::calibrate
