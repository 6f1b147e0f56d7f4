// Reader of Nsight Compute's tables of kernels: `ncu --csv --page raw` (one column per metric, a line of
// units below the header) or `--page details` (one line per metric and kernel). Metrics have the names of its
// sections SpeedOfLight, LaunchStats, Occupancy, MemoryWorkloadAnalysis and InstructionStats (Nsight Compute
// 2020 to 2025), or those given to --metrics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "slowdown/overlap_row.hpp"

namespace echo::nsight {

// One launch, alone on the GPU.
struct ProfiledKernel {
  std::string name, full_name;  // the function's; as Nsight Compute prints it
  std::string device;           // "0"; empty where the page does not say
  double seconds = slowdown::not_measured;
  slowdown::KernelMetrics metrics;
  std::int32_t sm_count = 0;  // of the GPU; 0 = the page does not say
};

// Whether the text has the header of either page; lines of the profiler and of the program itself may stand
// before it.
[[nodiscard]] bool is_compute_csv(std::string_view text);

// In the order of launches. `file` stands in messages. Throws UserError, 2, with every problem of every line.
// A metric that was not collected is NaN; a percentage a little above 100 is 1.
[[nodiscard]] std::vector<ProfiledKernel> read_compute_csv(std::string_view text, const std::string& file);

}  // namespace echo::nsight
