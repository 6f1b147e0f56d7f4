// The summary of a finished sweep on stdout.
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
  std::vector<explain::KernelGap> gaps;  // in the best points, largest share of time first
  std::size_t gap_points = 0;            // number of these points
  std::int64_t line_width = 0;           // characters; 0: as many as a table takes
};

// Counts and speed; the best ten of each model and what is to be said of the first, as `top` ranks and says
// it; the Pareto front, the axes with the largest effects, and in how many slices slowdown changes the
// winner; kernels worth measuring; reasons of infeasible points; failures; digest and file. Without a
// feasible row, the three rows closest to feasible replace the table.
[[nodiscard]] std::string summary_text(const results::ResultRows&, const SummaryFacts&);
[[nodiscard]] std::string summary_json(const results::ResultRows&, const SummaryFacts&);

}  // namespace echo::cli
