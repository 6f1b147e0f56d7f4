// Converts launches of kernels to rows of a profile.
#pragma once

#include <vector>

#include "kernels/database/measurement.hpp"
#include "profilers/kernels/kernel_runs.hpp"

namespace echo::profilers {

// A row a kernel: the median of its launches, their spread, the median clock. Kernels with too few launches,
// or a time that nothing could have measured, have none. Tidied.
[[nodiscard]] kernels::Profile profile_of(const std::vector<KernelRuns>&);

}  // namespace echo::profilers
