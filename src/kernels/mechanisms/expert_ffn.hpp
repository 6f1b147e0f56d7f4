// Time of the fused feed-forward of a mixture's experts on one rank.
#pragma once

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Precondition: key.kind is expert_ffn and the GPU has the key's precision.
[[nodiscard]] ops::KernelPrice price_expert_ffn(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                                const KernelConstants& constants);

// Coordinates of its correction: octaves of rows per expert, inner size and experts of the rank.
[[nodiscard]] std::array<double, 3> place_of_experts(const ops::KernelKey& key);

}  // namespace echo::kernels
