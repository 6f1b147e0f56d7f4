// Measures kernels one after the other until all are done, the time limit is reached, or the GPU fails.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "profilers/kernels/kernel_runs.hpp"

namespace echo::profilers {

// All trains of one kernel; of a replay, once for each time it was measured. UserError where it cannot be.
using Measure = std::function<std::vector<KernelRuns>(const ops::KernelKey&)>;

struct MeasuringSteps {
  Measure measure;
  std::function<double()> seconds_left;
  // All that was measured since the last call, now and then and at the end; never nothing.
  std::function<void(std::span<const KernelRuns>)> save;
  double seconds_between_saves = 20.0;
};

struct MeasuringOutcome {
  std::int64_t measured = 0, not_reached = 0;
  std::map<std::string, std::int64_t> failed;  // kernels that could not be, by why
  bool gave_up = false;  // so many failed in a row that the GPU itself must be in trouble
  [[nodiscard]] bool is_complete() const { return not_reached == 0; }
};
[[nodiscard]] MeasuringOutcome measure_kernels(std::span<const ops::KernelKey>, const MeasuringSteps&);

}  // namespace echo::profilers
