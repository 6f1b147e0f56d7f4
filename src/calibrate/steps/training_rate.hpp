// Extra time of matrix products in a training step over a micro-benchmark (gemm_sustained, gemm_sustained_8
// and gemm_sustained_4), from published training steps, pooled over publications and GPU kinds.
#pragma once

#include <span>
#include <vector>

#include "calibrate/steps/rate_pool.hpp"
#include "calibrate/steps/step_study.hpp"

namespace echo::calibrate {

// What run_training printed, per GPU kind. `four_bit` is negative where the GPU has no such products.
struct TrainingRate {
  const char* gpu;
  double sixteen_bit, eight_bit, four_bit, error;
  const char* source;
};
[[nodiscard]] std::span<const TrainingRate> training_rates();

// The rate that each publication among `rows` shows by itself, per GPU kind and operand width.
[[nodiscard]] std::vector<RateObservation> observe_rates(StepStudy&, const StepRows& rows);
// Sets the rates of all GPU kinds to the estimates pooled from `seen`.
void set_rates(StepStudy&, std::span<const RateObservation> seen);

// `echo-calibrate training [--table FILE]`: prints the pooled value of each GPU kind and operand width with
// its standard deviation, and the value that each publication shows by itself. The values are then written
// into training_rate.cpp and sweeps/catalog/kernels with their date.
int run_training(std::span<char*> args);

}  // namespace echo::calibrate
