// A fitted correction of a model: measured over modelled time on a grid of knots, linear in between.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace echo::kernels {

// Octaves above 1: the base-2 logarithm, linear between powers of two, so that it needs no library function
// and is identical on all machines. Precondition: value > 0.
[[nodiscard]] double octaves(double value);

// Empty: no correction. Outside the grid the nearest knot applies.
struct Knots {
  std::array<std::vector<double>, 3> at;  // octaves, ascending; one entry = no dependence on the axis
  std::vector<double> factor;             // [at[0]][at[1]][at[2]], row-major; positive
  friend bool operator==(const Knots&, const Knots&) = default;
};

// The knots around a point and their weights. Precondition: not empty.
struct KnotWeights {
  std::array<std::int32_t, 8> knot;  // indices into factor
  std::array<double, 8> weight;      // sum to 1
};
[[nodiscard]] KnotWeights knots_around(const Knots&, const std::array<double, 3>& point);

// Factor on the modelled time at a point given in octaves; 1 without knots.
[[nodiscard]] double correction(const Knots&, const std::array<double, 3>& point);

}  // namespace echo::kernels
