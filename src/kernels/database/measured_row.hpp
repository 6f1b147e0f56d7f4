// A kernel as a published table of micro-benchmarks times it: with what else a row's time holds.
#pragma once

#include <cstdint>

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// What a row's time holds.
enum class RowScope : std::int8_t {
  kernel,  // the kernel alone
  serving  // and what an inference library does around it
};

// Whether the constants hold any of the library's own for the mechanism that prices the kernel; else it is
// priced with those for training.
[[nodiscard]] bool has_own_constants(const ops::KernelKey& key, const KernelConstants& constants);

// The price of the kernel at the clocks of a micro-benchmark; `alone` with what the scope adds to it. Every
// prediction of a row goes through here. `constants` are the GPU's: key.library chooses among its libraries.
// A library's own constants price what it does around its kernels; those for training do not, see
// measured_row.cpp.
[[nodiscard]] ops::KernelPrice price_row(const ops::KernelKey& key, RowScope scope,
                                         const machine::GpuSpec& gpu, const KernelConstants& constants);

}  // namespace echo::kernels
