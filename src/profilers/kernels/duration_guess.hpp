// Estimate of a kernel's time before it is measured.
#pragma once

#include "ops/kernel.hpp"

namespace echo::profilers {

// Seconds on an H100 SXM: the larger of arithmetic at 65 % of the data sheet's peak and traffic at 85 % of
// its bandwidth, and 3 us to start. Good for a plan, within a factor of two for kernels that fill the GPU.
[[nodiscard]] double guess_seconds(const ops::KernelKey&);

}  // namespace echo::profilers
