// Time of one fused attention kernel (forward or backward).
#pragma once

#include <array>

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Precondition: key.kind is attention_forward or attention_backward and the GPU has a peak for key.precision.
// In a micro-benchmark, `constants` of an inference library include its work around the kernel.
[[nodiscard]] ops::KernelPrice price_attention(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                               const KernelConstants& constants,
                                               Clocks clocks = Clocks::sustained);

// Coordinates of a forward kernel on the grid of attention_knots, in octaves.
[[nodiscard]] std::array<double, 3> place_of_attention(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                                       const KernelConstants& constants);

}  // namespace echo::kernels
