// Text of the measurement plan of echo-overlap.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "profilers/overlap/communication_plan.hpp"
#include "profilers/overlap/overlap_schedule.hpp"

namespace echo::profilers {

// Kernels with their durations, what runs beside them, cells, rounds and time.
[[nodiscard]] std::string plan_text(std::span<const ops::KernelKey>, std::span<const double> kernel_seconds,
                                    const std::vector<CommunicationCase>&, const Schedule&);
// The last two lines of it.
[[nodiscard]] std::string schedule_text(const Schedule&);

}  // namespace echo::profilers
