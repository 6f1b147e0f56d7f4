// Rows of a result file as text and as JSON: the ranked table, one row's page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

[[nodiscard]] std::string config_key(const results::Table&, std::int64_t row);  // 16 hex digits
// The shortest number of digits, 8 at least, that tells each row shown apart from all others of the result.
[[nodiscard]] int key_digits(const results::ResultRows& all, const results::Table& shown);
[[nodiscard]] std::string layout_of(const results::Table&,
                                    std::int64_t row);  // "tp4 pp2 dp12 vpp1 mbs2 1f1b ..."

// A table of these rows of the result, first row rank 1. Where the file has error bands, with the 80 % band
// of each step time. `first_is_better`: with that chance of each row, "tie" where it is below 9 in 10; empty:
// without.
[[nodiscard]] std::string ranked_text(const results::ResultRows&, std::span<const std::int64_t> rows,
                                      std::span<const double> first_is_better = {});
// One page: layout, times, breakdown in bars, memory against its limit.
[[nodiscard]] std::string page_text(const results::Table&, std::int64_t row);

// Every column of the row as members of an open object; two-dimensional ones as objects by label; config_id
// in hex.
void add_row(text::Json&, const results::Table&, std::int64_t row);

}  // namespace echo::query
