// Measured kernel times, read from the published tables that the kernel constants are fitted on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/kernel.hpp"

namespace echo::calibrate {

struct KernelMeasurement {
  ops::KernelKey key;
  double seconds = 0.0;
  double weight = 1.0;
  std::uint64_t family = 0;  // rows of one family are never split between fitting and held-out rows
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

// Rows of training size weigh most. Throws UserError when `folder` lacks the file.
[[nodiscard]] std::vector<KernelMeasurement> read_gemms(const std::string& folder,
                                                        const KernelSources& sources,
                                                        machine::Precision precision);
[[nodiscard]] std::vector<KernelMeasurement> read_attention(const std::string& folder,
                                                            const KernelSources& sources);
// Efficiencies of training kernels over the given peak, turned into times: products in all three layouts
// (kind gemm) or fused attention (forward and backward).
[[nodiscard]] std::vector<KernelMeasurement> read_training(const std::string& folder,
                                                           const KernelSources& sources,
                                                           ops::KernelKind kind);
[[nodiscard]] std::vector<KernelMeasurement> read_layer_ops(const std::string& folder,
                                                            const KernelSources& sources);

}  // namespace echo::calibrate
