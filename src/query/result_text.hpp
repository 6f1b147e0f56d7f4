// Formats rows of a result file as text and JSON: the ranked table, and the page of one row.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

[[nodiscard]] std::string config_key(const results::Table&, std::int64_t row);  // 16 hex digits
// The smallest number of digits, at least 8, that identifies each row shown among all rows of the result.
[[nodiscard]] int key_digits(const results::ResultRows& all, const results::Table& shown);
[[nodiscard]] std::string layout_of(const results::Table&,
                                    std::int64_t row);  // "tp4 pp2 dp12 vpp1 mbs2 1f1b ..."

// "setting production: ..." and a line feed; empty of a benchmark's rows.
[[nodiscard]] std::string setting_line(const results::FileState&);

// A table of rows of the result `all`, first row rank 1. If the file has error bands, the 80 % band of
// each step time is shown. `first_is_better`: probability per row that the first row is better, shown as
// "tie" if below 0.9; empty: not shown.
[[nodiscard]] std::string ranked_text(const results::ResultRows& all, const results::Table& shown,
                                      std::span<const double> first_is_better = {});
// One page: layout, times, breakdown as bars, memory and its limit.
[[nodiscard]] std::string page_text(const results::Table&, std::int64_t row);

// Every column of the row as members of an open object; two-dimensional ones as objects by label; config_id
// as hex digits.
void add_row(text::Json&, const results::Table&, std::int64_t row);

}  // namespace echo::query
