// Kernels and collectives as text for users.
#pragma once

#include <string>

#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::ops {

// "gemm 8192x4096x2048 tn", "attention_forward 4096x4096x128 batch 32".
[[nodiscard]] std::string describe(const KernelKey&);
// "all_gather 64.0 MiB over 8 ranks of 1 node".
[[nodiscard]] std::string describe(const CollectiveQuery&);

}  // namespace echo::ops
