// How many GPU kernels a framework launches for one op.
#pragma once

#include <cstdint>

#include "ops/kernel.hpp"

namespace echo::ops {

// Fused ops are one launch; compiled and eager ones are chains (one framework kernel per primitive).
[[nodiscard]] std::int32_t launches_of(const KernelKey&);
// Those that a call of the framework issues in a loop of its own, in C++, after the first: products and casts
// of the experts of a group. Not those of operators that Python calls expert by expert.
[[nodiscard]] std::int32_t looped_launches_of(const KernelKey&);

}  // namespace echo::ops
