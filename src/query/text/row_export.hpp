// Rows of a result as CSV or JSON lines, batch by batch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::query {

enum class ExportFormat : std::int8_t { csv, jsonl };

struct ExportRequest {
  ExportFormat format = ExportFormat::csv;
  std::vector<std::string> columns;  // by name, in this order; empty = all
  std::string where;                 // RowFilter's expression
};

// Coded columns as text, config_id as 16 hex digits, numbers with the fewest digits that read back equal
// (as float or double, according to the column), missing values as empty cells or null. Two-dimensional
// columns become one per label: breakdown/exposed_time/forward. The CSV header appends units other than "1"
// to names: step_time[s]; JSON keys are the names only. Calls `write` with complete lines; returns the number
// of rows. UserError 2: unknown column or invalid expression.
std::int64_t export_rows(const results::ResultRows&, const ExportRequest&,
                         const std::function<void(std::string_view)>& write);

}  // namespace echo::query
