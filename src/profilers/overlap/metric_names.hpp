// Counters of the range profiler, and the fields of a dataset row computed from them.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "profilers/gpu_record.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::profilers {

// As CUPTI's host API and Nsight Compute name them; the same on A100, H100 and B200 (chips GA100, GH100,
// GB100).
inline constexpr std::array<std::string_view, 11> metric_names{
    "gpu__time_duration.sum",  // ns; tells the longest kernel of a launch
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "sm__inst_executed.sum",
    "sm__inst_executed_pipe_tensor.sum",
    "sm__inst_executed_pipe_fma.sum",
    "sm__inst_executed_pipe_lsu.sum"};
inline constexpr std::size_t duration_metric = 0;

// Values in the order of metric_names, NaN where one was not collected. Percentages become shares of 1,
// clamped there (replays measure passes that differ); instruction counts become shares of all instructions.
[[nodiscard]] slowdown::KernelMetrics metrics_of(std::span<const double, metric_names.size()>);

// Properties of the launch itself: registers, shared memory, grid.
void add_shape(slowdown::KernelMetrics&, const LaunchShape&);

}  // namespace echo::profilers
