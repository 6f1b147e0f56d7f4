// A kernel row of a published table of micro-benchmarks, and what its time includes.
#pragma once

#include <cstdint>

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// The work that a row's time includes.
enum class RowScope : std::int8_t {
  kernel,  // the kernel alone
  serving  // including an inference library's work around it
};

// Whether the constants have the library's own for the mechanism of the kernel; else those for training
// apply.
[[nodiscard]] bool has_own_constants(const ops::KernelKey& key, const KernelConstants& constants);

// The price of the kernel at the clocks of a micro-benchmark; `alone` includes the addition of the scope.
// Every prediction of a row uses this function. `constants` are the GPU's: key.library chooses among its
// libraries. A library's own constants include its work around kernels; those for training do not, see
// measured_row.cpp.
[[nodiscard]] ops::KernelPrice price_row(const ops::KernelKey& key, RowScope scope,
                                         const machine::GpuSpec& gpu, const KernelConstants& constants);

}  // namespace echo::kernels
