// The probability that one row truly beats another, in one or several objectives, given the errors that rows
// share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "results/rank/row_errors.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/spec.hpp"

namespace echo::results {

// An objective as a cost, of which less is better: ln(value) or -ln(value) where it has an error, so that a
// relative error adds to it; value or -value where it has none.
struct Aspect {
  sweep::ErrorLaw law = sweep::ErrorLaw::none;
  double sign = 1.0;   // of the value: 1 where less is better
  double slope = 0.0;  // what ln step_time (or ln mem_peak) adds to the cost: 1, -1, or 0 without error

  [[nodiscard]] double cost_of(double value) const;  // NaN where the value is missing, or has no logarithm
};

// By the metric table; none where the file has no columns of such errors, or the law is unknown.
[[nodiscard]] Aspect aspect_of(const ResultRows&, const sweep::Objective&);
// The same of rows in memory, which have all errors.
[[nodiscard]] Aspect aspect_of(const sweep::Objective&);
// Whether the errors of this objective are known: they are none, or the file has them.
[[nodiscard]] bool is_judged(const ResultRows&, const sweep::Objective&);

struct Contender {
  std::int64_t row = 0;
  std::array<double, 2> cost{};  // by aspect; one aspect leaves the second 0
  RowError error;
  std::array<double, 2> value{};  // of the objectives, for who lists them: chances depend on costs alone
};

// P(true costs of a are no greater than those of b, in every aspect). Aspects without error are compared as
// they are; where nothing is left to chance, rows equal in all have probability 1 in favour of the earlier
// row.
[[nodiscard]] double chance_to_beat(std::span<const Aspect>, const Contender& a, const Contender& b);

// Contenders of the same owners, and what their values span.
struct ContestBox {
  std::array<double, 2> least_cost{};
  RowError least, most;
};
// At least the chance of any contender of the box to beat b, but for rounding.
[[nodiscard]] double chance_bound(std::span<const Aspect>, const ContestBox&, const Contender& b);

[[nodiscard]] double normal_cdf(double z);

}  // namespace echo::results
