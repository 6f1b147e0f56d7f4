// Time of memory-bound ops: norms, activations, losses, optimizer and similar.
#pragma once

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Precondition: key.kind is neither a matrix product nor fused attention.
[[nodiscard]] ops::KernelPrice price_memory_bound(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                                  const KernelConstants& constants);

}  // namespace echo::kernels
