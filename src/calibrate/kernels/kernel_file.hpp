// The file of fitted kernel constants, sweeps/catalog/kernels/<gpu>.toml.
#pragma once

#include <string>
#include <vector>

#include "calibrate/kernels/kernel_fit.hpp"
#include "kernels/constants.hpp"

namespace echo::calibrate {

// Where a constant comes from.
struct ConstantOrigin {
  double error = 0.0;  // one standard deviation, in the constant's unit
  std::string
      source;  // "fitted: ..." or "assumed: ..."; empty: a library has it from the GPU's training constants
};

// Held-out errors of one kind of measurement.
struct FamilyErrors {
  std::string family;  // "gemm_bf16"
  FitErrors errors;
};

// One library's constants on one GPU kind.
struct LibraryCalibration {
  kernels::KernelConstants constants;
  std::vector<ConstantOrigin> origins;  // [kernel_constant_fields()]
  std::vector<FamilyErrors> families;
};

struct KernelCalibration {
  LibraryCalibration training;
  std::vector<LibraryCalibration> libraries;  // of those that were measured; by constants.library
};

// The file's text; equal calibrations give equal bytes.
[[nodiscard]] std::string kernel_file_text(const KernelCalibration& calibration, const std::string& source);

}  // namespace echo::calibrate
