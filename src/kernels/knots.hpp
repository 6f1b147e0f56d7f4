// A fitted correction of a model: measured over modelled time on a grid of knots, straight lines between
// them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace echo::kernels {

// Octaves above 1: the logarithm to base 2 with straight lines between powers of two, so that it needs no
// library function and is the same everywhere. Precondition: value > 0.
[[nodiscard]] double octaves(double value);

// Empty: no correction. Outside of the grid the nearest knot holds.
struct Knots {
  std::array<std::vector<double>, 3> at;  // octaves, ascending; one entry = the axis does not matter
  std::vector<double> factor;             // [at[0]][at[1]][at[2]], row-major; positive
  friend bool operator==(const Knots&, const Knots&) = default;
};

// The knots around a point, and how much of the correction comes from each. Precondition: not empty.
struct KnotWeights {
  std::array<std::int32_t, 8> knot;  // indices into factor
  std::array<double, 8> weight;      // sum to 1
};
[[nodiscard]] KnotWeights knots_around(const Knots&, const std::array<double, 3>& point);

// Factor on the modelled time at a point given in octaves; 1 where there are no knots.
[[nodiscard]] double correction(const Knots&, const std::array<double, 3>& point);

}  // namespace echo::kernels
