// Time of the ops that only move memory: norms, activations, losses, optimizer and the like.
#pragma once

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Precondition: key.kind is neither a product nor fused attention.
[[nodiscard]] ops::KernelPrice price_memory_bound(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                                  const KernelConstants& constants);

}  // namespace echo::kernels
