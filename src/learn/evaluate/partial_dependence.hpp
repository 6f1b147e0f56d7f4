// Partial dependence: predicted slowdown as a function of one input with all others unchanged.
#pragma once

#include <string>
#include <vector>

#include "learn/candidates/candidates.hpp"

namespace echo::learn {

// Friedman, "Greedy function approximation", 2001, section 8.2. If inputs are correlated, part of a curve is
// for combinations that no kernel has.
struct DependenceCurve {
  std::string input, units;
  std::vector<double> at;        // values of the input, ascending: quantiles over the rows
  std::vector<double> slowdown;  // [at] mean prediction over the rows
};

inline constexpr std::int32_t curve_points = 20;

// One curve per numeric input with at least two values among these rows.
[[nodiscard]] std::vector<DependenceCurve> partial_dependence(const Fitted&, const Examples&, Rows);

}  // namespace echo::learn
