// The row that changes are compared with.
#pragma once

#include <cstdint>
#include <string>

#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::explain {

struct BestRow {
  std::int64_t row = -1;  // -1: no row is feasible
  std::string name;       // the first 8 digits of its id
  double value = 0.0;     // of the metric
  sweep::Objective by;    // what the file is ranked by
};

// The first of the ranking among the rows that meet the condition; where no row surely fits, of those that
// may.
[[nodiscard]] BestRow best_row(const results::ResultRows&, const std::string& where = "");

}  // namespace echo::explain
