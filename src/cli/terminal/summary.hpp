// What a finished sweep says of itself on stdout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/kernel_gaps.hpp"
#include "results/read_rows.hpp"

namespace echo::cli {

struct SummaryFacts {
  std::string file, rows_digest;
  double seconds = 0.0;        // from the first claim to the last row of this launch
  std::int64_t simulated = 0;  // rows of this launch
  std::int64_t resumed = 0;    // rows found in journals
  int workers = 1;
  bool already_complete = false;
  std::vector<explain::KernelGap> gaps;  // of the best points, the weightiest first
  std::size_t gap_points = 0;            // how many points those are
};

// Counts and speed; the best ten of each model and why the first beats the second; the Pareto front, the
// biggest levers, and in how many slices slowdown changes the winner; kernels worth measuring; why points
// died; failures; digest and file. With no feasible row, the three that lack least instead of the table.
[[nodiscard]] std::string summary_text(const results::ResultRows&, const SummaryFacts&);
[[nodiscard]] std::string summary_json(const results::ResultRows&, const SummaryFacts&);

}  // namespace echo::cli
