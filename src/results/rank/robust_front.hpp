// A Pareto front that takes the errors of its points into account.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "results/rank/pareto.hpp"
#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::results {

// How sure a comparison must be: nine in ten, which is the 80 % band of the difference on one side of zero.
inline constexpr double sure = 0.9;

// robust: on the front as predicted, and no other row beats it with a chance of 1 in 10 or more. tie: on the
// front as predicted, but some row may. unproven: beaten as predicted, but by none with a chance of 9 in 10.
// unjudged: on the front as predicted, of a file or of objectives without known errors.
enum class Standing : std::int8_t { robust, tie, unproven, unjudged };
inline constexpr std::array<std::string_view, 4> standing_names{"robust", "tie", "unproven", "unjudged"};

struct FrontPoint : ParetoPoint {
  Standing standing = Standing::unjudged;
  std::int64_t rival = -1;  // row likeliest to beat it in both objectives; -1: none with 1 - sure
  double rival_chance = std::numeric_limits<double>::quiet_NaN();  // that it does; NaN where there is none
};

// What is known of the front before its neighbourhood is searched.
struct FrontOutline {
  std::vector<ParetoPoint> front;               // as predicted, of all rows
  double step_sigma = 0.0, memory_sigma = 0.0;  // greatest error of a ranked row
  std::vector<std::array<double, 2>>
      least_cost;  // by stretch of scan_rows rows; infinite where none is ranked
};
// The outline of these rows; stretches count from their first one.
[[nodiscard]] FrontOutline outline_front(const ResultRows&, const sweep::Objective& first,
                                         const sweep::Objective& second);

// Rows that are compared with each other: those nearest to the front, however many rows there are.
inline constexpr std::size_t most_compared = 32768;

// pareto_front(), then the unproven rows, each part with the best of the first objective first. An objective
// without known error is compared as it is; where neither has one, every point is unjudged. Chances are of
// pairs, joint in both objectives and in what the two rows share of their errors.
// Rows take part that are within twice the greatest band of the front, and of these the nearest
// `most_compared`, by the share of that band that they are away from it; the rest are neither unproven nor
// rivals. Memory: about 600 bytes for each that takes part.
[[nodiscard]] std::vector<FrontPoint> robust_front(const ResultRows&, const sweep::Objective& first,
                                                   const sweep::Objective& second);
// The same with an outline made before: of parts of the rows, joined.
[[nodiscard]] std::vector<FrontPoint> robust_front(const ResultRows&, const sweep::Objective& first,
                                                   const sweep::Objective& second, const FrontOutline&);

[[nodiscard]] std::int64_t count_of(std::span<const FrontPoint>, Standing);

}  // namespace echo::results
