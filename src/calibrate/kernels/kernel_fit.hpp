// Robust fits of a few kernel constants at a time, with held-out errors by family.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "calibrate/kernels/kernel_tables.hpp"
#include "calibrate/kernels/knot_fit.hpp"
#include "kernels/constants.hpp"
#include "machine/gpu.hpp"

namespace echo::calibrate {

// A constant that a fit may move, and between what.
struct FreeConstant {
  double kernels::KernelConstants::*member;
  double lower, upper;
};

// Seconds that the constants predict for a row; by default the price alone.
using Prediction = std::function<double(const KernelMeasurement&, const kernels::KernelConstants&)>;

// Knots fitted to what the free constants leave over.
struct KnotPlan {
  kernels::Knots kernels::KernelConstants::*member = nullptr;  // null = none
  KnotGrid grid{};
  std::function<std::array<double, 3>(const ops::KernelKey&)> place{};  // of a row on the grid, octaves
};

struct FitProblem {
  std::span<const KernelMeasurement> rows;
  std::vector<FreeConstant> free;
  machine::GpuSpec gpu;
  Prediction predict{};  // empty = profile::price_kernel
  KnotPlan knots{};
  double kernels::KernelConstants::*error = nullptr;  // gets the mean held-out error
  std::size_t stride = 1;  // the search for constants looks at one row in so many; the knots at all
};

struct FitErrors {
  std::int64_t rows = 0;
  double median = 0.0, mean = 0.0;  // absolute percentage errors of held-out rows, as fractions
  double bias = 0.0;                // mean log ratio of predicted to measured
};

// Constants that minimise the weighted mean |log(predicted / measured)|, starting from `start`; then the
// knots, on what is left. Deterministic.
[[nodiscard]] kernels::KernelConstants fit_constants(const FitProblem& problem,
                                                     const kernels::KernelConstants& start);

// Fits without each fifth of the families in turn; `spread` gets the standard deviation of every free
// constant over the five fits, and `scored` says which held-out rows count.
struct CrossValidation {
  FitErrors errors;
  std::vector<double> spread;  // [free]
};
[[nodiscard]] CrossValidation cross_validate(const FitProblem& problem, const kernels::KernelConstants& start,
                                             const std::function<bool(const KernelMeasurement&)>& scored);

}  // namespace echo::calibrate
