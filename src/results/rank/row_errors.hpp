// The errors of rows as a file keeps them; what two rows share of them is settle/row_error.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_source.hpp"
#include "results/read_rows.hpp"
#include "settle/row_error.hpp"
#include "simulate/catalog.hpp"
#include "sweep/run/row.hpp"

namespace echo::results {

// Scaled by rel_error_p90 / (rel_error * z90), so that the normal law puts the 90th percentile where the
// calibration found it. 0 where the file has no value: what is not known to vary decides nothing.
using settle::index_of;
using settle::RowError;
using settle::z90;

// Columns of the owners, in ErrorOwner's order; a config owns what no row shares.
inline constexpr std::array<std::string_view, 4> error_owner_names{"gpu", "cluster", "framework", "config"};

[[nodiscard]] std::string error_column(ErrorSource);  // "error_layout"

// Whether the file has the columns; files before schema 1.6 do not.
[[nodiscard]] bool has_step_errors(const ResultRows&);
[[nodiscard]] bool has_memory_errors(const ResultRows&);

// The error of a row in memory, as a file would keep it.
[[nodiscard]] RowError error_of(const sweep::Row&, const simulate::Catalog&);

// The columns that a scan must read, and the error of a row of its batch. Columns that a file lacks are left
// out. In an updated file (updated_file.hpp), these are the errors that remain after its measured runs.
class ErrorColumns {
 public:
  explicit ErrorColumns(const ResultRows&);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] RowError at(const Scan&, std::size_t first_column, std::size_t row) const;

 private:
  bool has_step_ = false, has_memory_ = false;
  std::size_t sources_ = 0;    // that the file has a column for: the first
  std::size_t explained_ = 0;  // values of each row in the column of what was explained
  double spread_ = 1.0;        // of the errors that remain
  std::vector<std::string> names_;
};

}  // namespace echo::results
