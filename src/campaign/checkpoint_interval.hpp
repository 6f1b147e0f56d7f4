// How much work to do between two checkpoints.
#pragma once

#include "campaign/failures.hpp"

namespace echo::campaign {

// Seconds of work for which goodput_of is largest. It depends on rate and stall alone. Infinite without
// failures; 0 where a checkpoint does not stall training.
[[nodiscard]] double best_interval(const FailureProcess&);

// The approximations in use, in terms of M = 1 / rate: sqrt(2 stall M), and Daly's with two more terms.
// Sources: Young 1974, A first order approximation to the optimum checkpoint interval (CACM 17, 9); Daly
// 2006, A higher order estimate of the optimum checkpoint interval for restart dumps (equation 37).
[[nodiscard]] double young_interval(const FailureProcess&);
[[nodiscard]] double daly_interval(const FailureProcess&);

// `wanted`, as far as it can be: a checkpoint is written while no other is being written, and no training is
// shorter than an interval. All in seconds of work.
[[nodiscard]] double possible_interval(const FailureProcess&, double wanted, double whole_work);

}  // namespace echo::campaign
