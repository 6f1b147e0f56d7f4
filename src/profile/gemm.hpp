// Time of one matrix product.
#pragma once

#include "machine/gpu.hpp"
#include "ops/kernel.hpp"
#include "profile/constants.hpp"

namespace echo::profile {

// Precondition: key.kind == gemm and the GPU has a peak for key.precision.
[[nodiscard]] ops::KernelPrice price_gemm(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                          const KernelConstants& constants,
                                          Clocks clocks = Clocks::sustained);

}  // namespace echo::profile
