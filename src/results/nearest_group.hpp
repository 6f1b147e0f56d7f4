// /nearest: for each cause for which rows are infeasible, the smallest change of its most promising row.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::results {

struct NearestEntry {
  std::string cause;       // word of the rule, "limit NAME" or "memory"
  std::int64_t row = 0;    // of the file: the row
  std::string change;      // "pp 4 -> 8, zero 0 -> 1"; empty: no such change was found
  double step_time = 0.0;  // of the changed row, as the next; NaN without a change
  double mem_peak = 0.0;   // bytes
  double fit_chance = 0.0;
};

// Finds the entries of a whole file that has its columns and nothing else.
using NearestFinder = std::function<std::vector<NearestEntry>(const ResultFile&)>;

void write_nearest(storage::Hdf5File&, std::span<const NearestEntry>);
// Empty where the file has none.
[[nodiscard]] std::vector<NearestEntry> read_nearest(const storage::Hdf5File&);

}  // namespace echo::results
