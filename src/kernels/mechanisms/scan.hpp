// Time of the kernels of one Mamba-2 scan (forward or backward).
#pragma once

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Precondition: key.kind is scan_forward or scan_backward and the GPU has a 16-bit peak.
[[nodiscard]] ops::KernelPrice price_scan(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                          const KernelConstants& constants);

}  // namespace echo::kernels
