// When a training is done: percentiles of its wall time.
#pragma once

#include "campaign/cumulants.hpp"

namespace echo::campaign {

// Wall time as the sum of independent segments, and what is known of its least value.
struct FinishTime {
  Cumulants time;             // over failures, at the predicted step
  double least = 0.0;         // without any failure
  double chance_least = 0.0;  // of none
  double step_spread = 0.0;   // standard deviation of the logarithm of the step: the prediction's own error
};

// The time below which the training is done with chance p, 0 < p < 1. Infinite where the mean is.
[[nodiscard]] double finish_quantile(const FinishTime&, double p);

// The standard deviation of a normal law that puts 1 in 10 above `p90`.
[[nodiscard]] double spread_of_p90(double p90);

}  // namespace echo::campaign
