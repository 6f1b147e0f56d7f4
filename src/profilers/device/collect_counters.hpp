// Collects the counters of all kernels, in a child process of echo-overlap.
#pragma once

#include <cstdint>
#include <span>

#include "ops/kernel.hpp"

namespace echo::profilers {

// Prints a line a kernel (metric_text.hpp) and what stopped it, if anything did. Returns the exit status.
int collect_counters(std::int32_t device, std::span<const ops::KernelKey>);

}  // namespace echo::profilers
