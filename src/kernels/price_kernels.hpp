// Kernel times from a GPU's fitted constants.
#pragma once

#include <span>
#include <vector>

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Pure. `constants` belong to the GPU (GpuSpec::kernels); key.library chooses among its libraries.
[[nodiscard]] ops::KernelPrice price_kernel(const ops::KernelKey&, const machine::GpuSpec&,
                                            const KernelConstants&, Clocks clocks = Clocks::sustained);
// Whether the key can be priced: it is sound (ops::why_unsound), and the GPU has the precision.
[[nodiscard]] bool is_priceable(const ops::KernelKey&, const machine::GpuSpec&);
void price_kernels(std::span<const ops::KernelKey>, const machine::GpuSpec&, const KernelConstants&,
                   std::span<ops::KernelPrice> out);

}  // namespace echo::kernels
