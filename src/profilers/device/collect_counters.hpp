// Collects the counters of all kernels, in a child process of echo-overlap.
#pragma once

#include <cstdint>
#include <span>

#include "ops/kernel.hpp"

namespace echo::profilers {

// Prints one line per kernel (metric_text.hpp) and the error that stopped it, if any. Returns the exit
// status.
int collect_counters(std::int32_t device, std::span<const ops::KernelKey>);

}  // namespace echo::profilers
