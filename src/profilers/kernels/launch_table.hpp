// Table of the times of all launches, one row per series. The raw data of a profile can be inspected, kept,
// and converted to a profile again without the GPU.
#pragma once

#include <string>
#include <vector>

#include "base/csv.hpp"
#include "profilers/kernels/kernel_runs.hpp"

namespace echo::profilers {

// The header, and the rows of these kernels. Times in microseconds to the nanosecond, which is what CUPTI
// gives.
[[nodiscard]] std::string launch_table_header();
[[nodiscard]] std::string launch_table_rows(const KernelRuns&);

// Kernels in the order of their first rows; trains of one kernel, GPU and origin together. UserError, 2, with
// every row that cannot be read.
[[nodiscard]] std::vector<KernelRuns> read_launch_table(const CsvTable&);

// Adds `text` behind what the file holds; the header first where it holds nothing. UserError, 5.
void append_launches(const std::string& path, const std::string& rows);

}  // namespace echo::profilers
