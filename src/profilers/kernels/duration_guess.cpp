#include "profilers/kernels/duration_guess.hpp"

#include <algorithm>

namespace echo::profilers {

using machine::Precision;

// NVIDIA H100 Tensor Core GPU architecture white paper V1.04, table 3 (SXM5), dense. FLOP/s.
static double peak(Precision precision) {
  switch (precision) {
    case Precision::bf16:
    case Precision::fp16:
      return 989.4e12;
    case Precision::fp8:
    case Precision::mxfp8:
    case Precision::nvfp4:
      return 1978.9e12;
    case Precision::tf32:
      return 494.7e12;
    case Precision::fp32:
      return 66.9e12;
  }
  return 989.4e12;
}

double guess_seconds(const ops::KernelKey& key) {
  constexpr double bandwidth = 3352e9, start = 3e-6;
  const double arithmetic = ops::flops_of(key).value / (0.65 * peak(key.precision));
  const double traffic = static_cast<double>(ops::traffic_of(key).value) / (0.85 * bandwidth);
  return std::max(arithmetic, traffic) + start;
}

}  // namespace echo::profilers
