// How many GPU kernels a framework launches for one op.
#pragma once

#include <cstdint>

#include "ops/kernel.hpp"

namespace echo::ops {

// Fused ops are one launch; compiled and eager ones are chains (one framework kernel per primitive).
[[nodiscard]] std::int32_t launches_of(const KernelKey&);

}  // namespace echo::ops
