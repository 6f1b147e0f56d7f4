// Robust maximum a posteriori fit of a few parameters with normal priors to a few measurements; residuals
// have Huber weights, so that the influence of outliers is bounded.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace echo::learn {

using RowsAsked = std::span<const std::size_t>;
using Slopes = std::vector<std::vector<double>>;  // [rows][parameters] d prediction / d parameter

struct NearlyKnown {
  std::vector<double> prior_sigma;  // [parameters] > 0; every prior is centred on 0
  std::vector<double> measured;     // [rows]
  // Predictions for `rows` at these parameters, in their order.
  std::function<std::vector<double>(std::span<const double> parameters, RowsAsked rows)> predict;
  double noise = 0.04;  // prior noise of one row; weighs as much as `noise_rows` rows
  double noise_rows = 4.0;
  double least_noise = 0.01;
};

struct MostProbable {
  std::vector<double> value, sigma;  // [parameters] sigma: posterior, with independent errors of rows
  double noise = 0.0;                // of one row, from the residuals of `rows`
  std::vector<double> weight;        // [rows as given] 1, or less for a large residual
};

// Around `at`, by central differences over this many prior sigmas; 0 for parameters that may not move. A wide
// step detects effects that only start at larger values of a parameter.
[[nodiscard]] Slopes sensitivities(const NearlyKnown&, RowsAsked rows, std::span<const double> at,
                                   std::span<const char> may_move, double width);

// Posterior sigma of each parameter if the rows have error `noise` and respond linearly.
[[nodiscard]] std::vector<double> expected_sigma(const NearlyKnown&, const Slopes& sensitivities,
                                                 double noise);

// Parameters that may not move stay 0 and keep their prior sigma. `slopes`: of these rows, at parameters of 0
// or near the solution; they are recomputed up to `renewals` times. Deterministic. Contract: rows are not
// empty, may_move has a flag per parameter.
[[nodiscard]] MostProbable most_probable(const NearlyKnown&, RowsAsked rows, std::span<const char> may_move,
                                         Slopes slopes, int renewals);

}  // namespace echo::learn
