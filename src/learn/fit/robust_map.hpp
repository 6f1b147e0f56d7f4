// A few parameters that are nearly known, moved by a few measurements: the most probable values under normal
// priors, with residuals weighed as Huber does, so that a wild row pulls no harder than a bad one.
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
  // What `rows` would measure at these parameters, in their order.
  std::function<std::vector<double>(std::span<const double> parameters, RowsAsked rows)> predict;
  double noise = 0.04;  // of one row, before any is seen; weighs as much as `noise_rows` of them
  double noise_rows = 4.0;
  double least_noise = 0.01;
};

struct MostProbable {
  std::vector<double> value, sigma;  // [parameters] sigma: posterior, rows taken to err independently
  double noise = 0.0;                // of one row, as the residuals of `rows` say
  std::vector<double> weight;        // [rows as given] 1, or less where a residual is large
};

// Around `at`, by differences over so many prior sigmas to either side; of parameters that may not move 0. A
// wide step sees what only begins to show where a parameter is larger.
[[nodiscard]] Slopes sensitivities(const NearlyKnown&, RowsAsked rows, std::span<const double> at,
                                   std::span<const char> may_move, double width);

// Posterior sigma of each parameter if the rows err by `noise` and answer linearly.
[[nodiscard]] std::vector<double> expected_sigma(const NearlyKnown&, const Slopes& sensitivities,
                                                 double noise);

// Parameters that may not move stay 0 and keep their prior sigma. `slopes`: of these rows, where all
// parameters are 0 or near their answer; they are taken anew up to `renewals` times. Deterministic. Contract:
// rows are not empty, may_move has a flag for each parameter.
[[nodiscard]] MostProbable most_probable(const NearlyKnown&, RowsAsked rows, std::span<const char> may_move,
                                         Slopes slopes, int renewals);

}  // namespace echo::learn
