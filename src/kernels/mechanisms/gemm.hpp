// Time of one matrix product.
#pragma once

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Precondition: key.kind == gemm and the GPU has a peak for key.precision.
[[nodiscard]] ops::KernelPrice price_gemm(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                          const KernelConstants& constants,
                                          Clocks clocks = Clocks::sustained);

}  // namespace echo::kernels
