// Description of GPU, driver and libraries, for the origin of measurements.
#pragma once

#include <string>

#include "ops/kernel.hpp"
#include "profilers/device/clocks.hpp"
#include "profilers/device/gpu.hpp"

namespace echo::profilers {

// "NVIDIA H200 (8 of them here), driver 580.65.06, CUDA 13.0, cuBLASLt 130001".
[[nodiscard]] std::string machine_text(const Gpu&, const Clocks&);

// The library whose kernel is run: "cuBLASLt 130001", "cuDNN 91300", or the name of ours.
[[nodiscard]] std::string library_text(const ops::KernelKey&);

}  // namespace echo::profilers
