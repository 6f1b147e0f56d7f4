// Extra time of matrix products in a training step over a micro-benchmark (gemm_sustained and
// gemm_sustained_8), from published training steps of one framework.
#pragma once

#include <span>

#include "calibrate/steps/step_study.hpp"

namespace echo::calibrate {

// The results that run_training prints, per GPU kind.
struct TrainingRate {
  const char* gpu;
  double sixteen_bit, eight_bit, error;
  const char* source;
};
[[nodiscard]] std::span<const TrainingRate> training_rates();
[[nodiscard]] SustainedRate sustained_rate(bool narrow);  // which constant it is, by operand width

// `echo-calibrate training [--table FILE]`: prints, per GPU kind and operand width, the value for which the
// median predicted step equals the median measured one, the errors left, and the errors of each publication
// under the value that the other publications give. The values are then written into kernel_assumed.cpp with
// their date.
int run_training(std::span<char*> args);

}  // namespace echo::calibrate
