// One measured table with its predictions, as shown by `validate`, and the helpers common to all such tables.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "accuracy/error_table.hpp"
#include "text/json.hpp"
#include "text/text_table.hpp"
#include "validation/row_shares.hpp"

namespace echo::validation {

// Options of the report, and the workers that predict rows.
struct ValidateOptions {
  RowShares shares;
  bool wants_csv = false;
  std::vector<std::string> by{"stratum", "source"};  // groupings of training steps that text shows
  std::size_t worst = 5;                             // rows of training steps that are shown one by one
};

struct ValidatedTable {
  std::string file, form;               // form: "training steps", "gemm"
  std::size_t rows = 0;                 // as read
  accuracy::ErrorSummary claimed, all;  // of the rows for which accuracy is claimed; of all that are scored
  std::vector<accuracy::Comparison> claimed_rows;   // those, to be summed up with other tables
  std::map<std::string, accuracy::GroupErrors> by;  // "gpu": errors of each
  std::string text, markdown;                       // for people; error tables alone
  std::string csv_header, csv;                      // a line each, one per row; empty unless asked for
  std::function<void(text::Json&)> add_members = [](text::Json&) {};  // of an open JSON object
};

// Rows, median, mean, p90, max and bias, as headings with `first` before them and as cells.
[[nodiscard]] text::TextTable error_columns(const std::string& first);
[[nodiscard]] std::vector<std::string> error_cells(const std::string& name, const accuracy::ErrorSummary&);
// A line for each group and one for all of them.
[[nodiscard]] text::TextTable error_table(const std::string& first, const accuracy::GroupErrors&,
                                          const accuracy::ErrorSummary& all);
[[nodiscard]] std::string error_table_text(const std::string& first,
                                           const std::vector<accuracy::Comparison>&);

void add_errors(text::Json&, const accuracy::ErrorSummary&);          // members of an open object
void add_errors_by_group(text::Json&, const accuracy::GroupErrors&);  // the same, one object per group

[[nodiscard]] std::string skipped_text(const std::map<std::string, int>& rows_by_reason);
void add_skipped(text::Json&, const std::map<std::string, int>& rows_by_reason);  // a member "skipped"

}  // namespace echo::validation
