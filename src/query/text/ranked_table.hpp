// The table of ranked rows: which columns it has, and which of them a narrow line leaves out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::query {

struct RankedTable {
  // Probability per row that the first row is better, shown as "tie" if below 0.9; empty: not shown.
  std::span<const double> first_is_better;
  std::vector<std::string> metrics;  // always shown: what was asked for, and the sweep's objectives
  std::vector<std::string> axes;     // always shown: varying_axes()
  std::vector<std::string>
      columns;                     // the user's choice, by the file's names or by headings; empty: the usual
  std::string note_heading;        // of a last column that is always shown; empty: none
  std::vector<std::string> notes;  // [row]
  std::int64_t width = 0;          // characters of a line; 0: as many as it takes
};

// The metric that rows are ranked by, and the sweep's objectives.
[[nodiscard]] std::vector<std::string> asked_metrics(const results::ResultRows&, const std::string& by);

// A table of rows of the result `all`, first row rank 1. If the file has error bands, the 80 % band of each
// step time is shown. Where a line is narrower than the table, inputs that are equal in all rows shown are
// written above it, and then columns are left out, the least important first; a line says which. UserError,
// 2, for a column that is not there.
[[nodiscard]] std::string ranked_text(const results::ResultRows& all, const results::Table& shown,
                                      const RankedTable& = {});

// What the columns of that table mean, one per line.
[[nodiscard]] std::string legend_text(const results::ResultRows& all, const results::Table& shown,
                                      const RankedTable&);

}  // namespace echo::query
