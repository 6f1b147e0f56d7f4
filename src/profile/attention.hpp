// Time of one fused attention kernel (forward or backward).
#pragma once

#include "machine/gpu.hpp"
#include "ops/kernel.hpp"
#include "profile/constants.hpp"

namespace echo::profile {

// Precondition: key.kind is attention_forward or attention_backward and the GPU has a peak for key.precision.
[[nodiscard]] ops::KernelPrice price_attention(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                               const KernelConstants& constants);

}  // namespace echo::profile
