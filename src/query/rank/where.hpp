// Selects rows by an expression: --where "gpus <= 1024 and schedule == '1f1b'".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/read_rows.hpp"
#include "sweep/language/expression.hpp"

namespace echo::query {

// The expression is in the language of [[keep]], over the columns of the file. Names have the same meaning as
// in a sweep: zero is a number, flags such as sequence_parallel are true or false; other coded columns are
// text. Real columns have units: step_time < 5 s, mem_peak < 70 GiB. Fields of presets are those of a sweep:
// gpu.memory, model.layers, cluster.nvlink_domain; they are looked up in the catalog, with the presets that
// the sweep included as the file holds them.
class RowFilter {
 public:
  // An empty expression keeps every row. UserError 2 with a caret under the mistake.
  RowFilter(const results::ResultRows&, const std::string& expression);

  // The columns that a scan must provide for keeps(), in this order, starting at its `first_column`-th.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  // Whether row `row` of the scan's batch is kept. A row without a value that the expression uses is not
  // kept, nor one for which the expression has no value (division by zero).
  [[nodiscard]] bool keeps(const results::Scan&, std::size_t first_column, std::int64_t row);

 private:
  struct Slot {
    sweep::Type type{};
    std::vector<std::int64_t> texts;    // of codes 0, 1, ...; empty if the column is not text
    std::vector<sweep::Scalar> fields;  // of the presets of codes 0, 1, ...; empty if it is no preset's field
  };
  friend class ColumnSymbols;
  std::vector<std::string> columns_;
  std::vector<Slot> slots_;  // one per column of columns_
  sweep::Code code_;
  std::vector<sweep::Scalar> values_;
  bool keeps_all_ = false;
};

}  // namespace echo::query
