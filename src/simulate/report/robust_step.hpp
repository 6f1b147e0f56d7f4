// The 90th percentile of a step over everything that is not known about it.
#pragma once

#include <span>

#include "simulate/report.hpp"

namespace echo::simulate {

// The time that a step takes no longer than with probability 0.9. It is the product of two independent
// factors: one of the `drawn` steps of unequal GPUs, each as likely (`step` where there are none), and the
// error of the prediction, of which exp(rel_error_p90) is the 90th percentile. Contract: step > 0, drawn
// ascending and > 0, rel_error_p90 >= 0.
[[nodiscard]] SimTime robust_step(SimTime step, std::span<const SimTime> drawn, double rel_error_p90);

// Fills step_median (zero without draws) and step_p90 from a finished report and its drawn steps, ascending.
void report_percentiles(std::span<const SimTime> drawn, StepReport& report);

}  // namespace echo::simulate
