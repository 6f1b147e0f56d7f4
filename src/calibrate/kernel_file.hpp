// The file of fitted kernel constants, sweeps/catalog/kernels/<gpu>.toml.
#pragma once

#include <string>
#include <vector>

#include "calibrate/kernel_fit.hpp"
#include "profile/constants.hpp"

namespace echo::calibrate {

// Where a constant comes from.
struct ConstantOrigin {
  double error = 0.0;  // one standard deviation, in the constant's unit
  std::string source;  // "fitted: ..." or "assumed: ..."
};

// Held-out errors of one kind of measurement.
struct FamilyErrors {
  std::string family;  // "gemm_bf16"
  FitErrors errors;
};

struct KernelCalibration {
  profile::KernelConstants constants;
  std::vector<ConstantOrigin> origins;  // [kernel_constant_fields()]
  std::vector<FamilyErrors> families;
};

// The file's text; equal calibrations give equal bytes.
[[nodiscard]] std::string kernel_file_text(const KernelCalibration& calibration, const std::string& source);

}  // namespace echo::calibrate
