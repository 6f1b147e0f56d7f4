// How predicted slowdowns move with one input while all others stay as they are.
#pragma once

#include <string>
#include <vector>

#include "learn/candidates/candidates.hpp"

namespace echo::learn {

// Friedman, "Greedy function approximation", 2001, section 8.2. Where inputs go together, part of a curve is
// of combinations that no kernel has.
struct DependenceCurve {
  std::string input, units;
  std::vector<double> at;        // values of the input, rising: quantiles of those that rows have
  std::vector<double> slowdown;  // [at] mean prediction over the rows
};

inline constexpr std::int32_t curve_points = 20;

// Of every input that is a number and has at least two values among these rows.
[[nodiscard]] std::vector<DependenceCurve> partial_dependence(const Fitted&, const Examples&, Rows);

}  // namespace echo::learn
