// The infeasible rows from which a place in the ranking is nearest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::explain {

struct PromisingRow {
  std::string cause;      // word of the rule, "limit NAME" or "memory"
  std::int64_t rows = 0;  // with this cause
  std::int64_t row = 0;   // the most promising of them
};

// One entry for each cause, the most frequent first. The row is the one that lacks the least of its memory,
// or exceeds its limit by the least, as shares; of a rule, the one that differs from `best` in the fewest
// axes that the sweep varies (-1: there is no best row; the first). The first of equals counts.
[[nodiscard]] std::vector<PromisingRow> promising_rows(const results::ResultRows&, const sweep::SweepSpec&,
                                                       std::int64_t best);

}  // namespace echo::explain
