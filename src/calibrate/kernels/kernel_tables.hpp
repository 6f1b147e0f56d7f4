// The published tables that kernel constants are fitted to, and the rows used for each fit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/measured/measured_kernels.hpp"

namespace echo::calibrate {

// One row, and how much it counts in a fit.
struct KernelMeasurement {
  ops::KernelKey key;
  double seconds = 0.0;
  double weight = 1.0;
  std::uint64_t family = 0;
};

// How one GPU kind is named in the tables; empty = the table has no rows of it.
struct KernelSources {
  std::string gpu;           // "h100-sxm"
  std::string file;          // "h100_sxm": gemm_<file>.csv, attention_fwd_<file>.csv
  std::string gemm_library;  // the library whose rows stand for training
  std::string gemm_8_library;
  std::string attention_library;
  std::string training_gpu;  // `gpu` column of training_efficiency_simumax.csv
  std::string layer_gpu;     // `gpu` column of layer_ops_vidur.csv
};
// The GPU kinds that can be calibrated. Throws UserError for another name.
[[nodiscard]] KernelSources kernel_sources(const std::string& gpu);

// Rows of a table of the folder that `weight` gives more than nothing. Throws UserError when the folder lacks
// it.
using Weight = std::function<double(const config::MeasuredKernel&)>;
[[nodiscard]] std::vector<KernelMeasurement> read_kernels(const std::string& file,
                                                          const config::CatalogInputs&, const Weight& weight);

}  // namespace echo::calibrate
