// The measurement: every cell of the plan, round after round.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "profilers/device/gpu.hpp"
#include "profilers/overlap/metric_text.hpp"
#include "profilers/overlap/overlap_options.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::profilers {

// The results after a round; the receiver may write them, so that a run that is cut short leaves
// something.
using RoundDone = std::function<void(const slowdown::OverlapData&)>;

// Prints the plan, what it leaves out and how it goes on; stops at the deadline, within a round if it must.
// Returns all rows. UserError, 1, where nothing can be
// measured.
[[nodiscard]] slowdown::OverlapData measure_overlaps(const Gpu&, const OverlapOptions&,
                                                     const std::vector<ops::KernelKey>&,
                                                     const CollectedMetrics&,
                                                     std::chrono::steady_clock::time_point deadline,
                                                     const RoundDone&);

}  // namespace echo::profilers
