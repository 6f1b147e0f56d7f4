// What bands of fits lack to hold 80 % of the runs of publications that they have not seen.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "calibrate/steps/step_errors.hpp"
#include "simulate/report/error_model.hpp"

namespace echo::calibrate {

// A publication, and the error model of all others.
struct LeftOut {
  std::vector<StepError> stated, unstated;
  simulate::ErrorModel model;
};

// Kinds of work with an error of their own: steps that wait for a host that no step tells, mixtures of
// experts, fine-tuning, kernels of a compiler.
inline constexpr std::size_t work_kind_count = 4;

// Factors on constants of a model; 1: it covers as it is.
struct Widening {
  double p90 = 1.0;
  std::array<double, work_kind_count> of_kind{1.0, 1.0, 1.0, 1.0};
};

[[nodiscard]] Widening widening_of(const std::vector<LeftOut>&);
void widen(simulate::ErrorModel&, const Widening&);

}  // namespace echo::calibrate
