// Joins two runs and a profile into rows of measured overlaps, as Echo-slowdown does: a run without
// communication, the same with it, and Nsight Compute's metrics of the first (slowdown_collection/analyse.py,
// merge/merge_script.py of NetX-lab/Echo-slowdown).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "nsight/compute_csv.hpp"
#include "nsight/trace.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::nsight {

struct JoinSources {
  const Trace& alone;
  const Trace& overlapped;
  std::span<const ProfiledKernel> metrics;  // may be empty
  std::string gpu;                          // preset
};

struct Joined {
  std::vector<slowdown::OverlapRow> rows;        // in the order of the overlapped run; origin 0
  std::int64_t kernels = 0;                      // of the overlapped run, that compute
  std::int64_t with_metrics = 0;                 // rows
  std::map<std::string, std::int64_t> left_out;  // kernels that make no row, and profiles without one, by why
};

// Kernels of one device are matched in their order, by full name, grid and block. Overlap: the share of the
// kernel's time in the overlapped run in which at least one communication kernel of the device runs (Echo
// adds them up, which counts twice what two of them cover). What the row says of the communication is that of
// the kernel that runs beside it longest. A kernel beside which, for more than a twentieth of its time, other
// streams compute was not slowed by communication alone and makes no row, nor does one whose run alone was
// not alone. UserError, 2: the runs differ in more than 5000 kernels, or none matches.
[[nodiscard]] Joined join_runs(const JoinSources&);

}  // namespace echo::nsight
