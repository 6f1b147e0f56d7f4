// One measured table with its predictions, as `validate` shows it; and what all such tables share.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "apps/json.hpp"
#include "apps/row_shares.hpp"
#include "apps/text_table.hpp"
#include "validate/error_table.hpp"

namespace echo::apps {

// What a user wants to see of tables, and who predicts their rows.
struct ValidateOptions {
  RowShares shares;
  bool wants_csv = false;
  std::vector<std::string> by{"stratum", "source"};  // groupings of training steps that text shows
  std::size_t worst = 5;                             // rows of training steps that are shown one by one
};

struct ValidatedTable {
  std::string file, form;               // form: "training steps", "gemm"
  std::size_t rows = 0;                 // as read
  validate::ErrorSummary claimed, all;  // of the rows for which accuracy is claimed; of all that are scored
  std::vector<validate::Comparison> claimed_rows;         // those, to be summed up with other tables
  std::map<std::string, validate::GroupErrors> by;        // "gpu": errors of each
  std::string text, markdown;                             // for people; error tables alone
  std::string csv_header, csv;                            // a line each, one per row; empty unless asked for
  std::function<void(Json&)> add_members = [](Json&) {};  // of an open JSON object
};

// Rows, median, mean, p90, max and bias, as headings with `first` before them and as cells.
[[nodiscard]] TextTable error_columns(const std::string& first);
[[nodiscard]] std::vector<std::string> error_cells(const std::string& name, const validate::ErrorSummary&);
// A line for each group and one for all of them.
[[nodiscard]] TextTable error_table(const std::string& first, const validate::GroupErrors&,
                                    const validate::ErrorSummary& all);
[[nodiscard]] std::string error_table_text(const std::string& first,
                                           const std::vector<validate::Comparison>&);

void add_errors(Json&, const validate::ErrorSummary&);          // members of an open object
void add_errors_by_group(Json&, const validate::GroupErrors&);  // likewise, an object a group

[[nodiscard]] std::string skipped_text(const std::map<std::string, int>& rows_by_reason);
void add_skipped(Json&, const std::map<std::string, int>& rows_by_reason);  // a member "skipped"

[[nodiscard]] std::string csv_cell(const std::string& text);  // quoted where it must be

}  // namespace echo::apps
