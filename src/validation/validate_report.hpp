// The report of `validate` on several tables, and the check of --expect.
#pragma once

#include <string>
#include <vector>

#include "validation/validated_table.hpp"

namespace echo::validation {

// The whole report of one table. For several tables: the reports of the tables of training steps (`details`:
// of every table), then a line for each table and one for all tables of a form.
[[nodiscard]] std::string report_text(const std::vector<ValidatedTable>&, bool details);
[[nodiscard]] std::string report_markdown(const std::vector<ValidatedTable>&);
[[nodiscard]] std::string report_json(const std::vector<ValidatedTable>&);

// Rows of all tables; UserError: their columns differ (2), the file cannot be written (5).
void write_rows(const std::string& path, const std::vector<ValidatedTable>&);

// Each of `expected` is a group's name, as "zero-bubble", or one of a grouping, as "feature=cp"; "all" stands
// for every stratum of the tables. UserError, 4, with all that no scored row is in.
void check_expected(const std::vector<std::string>& expected, const std::vector<ValidatedTable>&);

// "a, b" -> "a", "b"; blanks around a word and empty words are left out.
[[nodiscard]] std::vector<std::string> split_list(const std::string&);

// --by: groupings of training steps, or all. UserError, 2: no such grouping.
[[nodiscard]] std::vector<std::string> groupings_of(const std::string& by);

}  // namespace echo::validation
