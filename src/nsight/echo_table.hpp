// Echo-slowdown's merged table (NetX-lab/Echo-slowdown, merge/output/merged_features.csv): one row per kernel
// of a training step, with its time alone and beside DDP's all-reduces, and Nsight Compute's metrics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::nsight {

struct EchoTable {
  std::vector<slowdown::OverlapRow> rows;  // in the order of the table; origin 0
  std::int32_t sm_count = 0;               // of its GPU; 0 = the table does not say
  std::int64_t above_full = 0;             // percentages a little above 100, taken as 100
};

[[nodiscard]] bool is_echo_table(const CsvTable&);
// Whether it is one of the tables that Echo-slowdown makes on the way, which do not say how long a kernel
// took beside communication: kernel_metric_output.csv, train_dataset.csv.
[[nodiscard]] bool is_echo_part(const CsvTable&);

// Columns kShortName, ground_truth (alone, ns), duration (overlapped, ns) and overlap_ratio are needed;
// kDemangledName, slowdown (held to the one that follows from the durations), SM (SMs of the GPU) and the
// metrics, in percent, may be there. Throws UserError, 2, with every problem of every row. `gpu`: the preset.
[[nodiscard]] EchoTable read_echo_table(const CsvTable&, const std::string& gpu);

}  // namespace echo::nsight
