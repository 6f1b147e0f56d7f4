// Formats rows of a result file as text and JSON: the page of one row.
#pragma once

#include <cstdint>
#include <string>

#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

[[nodiscard]] std::string config_key(const results::Table&, std::int64_t row);  // 16 hex digits
// The smallest number of digits, at least 8, that identifies each row shown among all rows of the result.
[[nodiscard]] int key_digits(const results::ResultRows& all, const results::Table& shown);

// "setting production: ..." and a line feed; empty of a benchmark's rows.
[[nodiscard]] std::string setting_line(const results::FileState&);

// One page: layout, times, breakdown as bars, memory and its limit.
[[nodiscard]] std::string page_text(const results::Table&, std::int64_t row);

// Every column of the row as members of an open object; two-dimensional ones as objects by label; config_id
// as hex digits.
void add_row(text::Json&, const results::Table&, std::int64_t row);

}  // namespace echo::query
