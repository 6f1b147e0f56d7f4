// The columns of a table of measured training steps.
#pragma once

#include <cstddef>
#include <vector>

#include "base/csv.hpp"

namespace echo::config {

// Columns that nobody reads. One that is nearly a known column which the table lacks is an error: it was
// meant to say something, and a default in its place would be a wrong run. The others are warnings.
[[nodiscard]] std::vector<Problem> unknown_step_columns(const CsvTable&);

// Cells of one row that must contain a number but do not; at most one per column.
[[nodiscard]] std::vector<Problem> bad_step_cells(const CsvTable&, std::size_t row);

}  // namespace echo::config
