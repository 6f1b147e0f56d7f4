// A result file as columns by name; what `top` and `show` read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echo::results {

// One column in memory. Exactly one of `integers` and `reals` is filled; two-dimensional columns are
// row-major.
struct ColumnValues {
  std::string name, role, units, long_name, description;
  std::int64_t width = 1;  // values per row
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> meanings;  // of the codes, by position in `codes`
  std::vector<std::int8_t> codes;
  std::vector<std::string> labels;  // of the second dimension ("forward", ...); empty when width is 1
};

class Table {
 public:
  explicit Table(std::vector<ColumnValues> columns);
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const std::vector<ColumnValues>& columns() const { return columns_; }
  [[nodiscard]] const ColumnValues* find(std::string_view name) const;  // null when there is none
  [[nodiscard]] double number(std::string_view column,
                              std::int64_t row) const;  // integers too; NaN = missing
  [[nodiscard]] std::int64_t integer(std::string_view column, std::int64_t row) const;
  [[nodiscard]] std::string text(std::string_view column,
                                 std::int64_t row) const;  // meaning of a coded column
  [[nodiscard]] double part(std::string_view column, std::int64_t row, std::string_view label) const;
  [[nodiscard]] std::uint64_t config_id(std::int64_t row) const;
  // The row whose config_id, as 16 hex digits, starts with `prefix`; nothing when none or several do.
  [[nodiscard]] std::optional<std::int64_t> row_of(std::string_view prefix) const;

 private:
  const ColumnValues& at(std::string_view name) const;
  std::vector<ColumnValues> columns_;
  std::int64_t rows_ = 0;
};

// All columns of the root and of /breakdown ("breakdown/exposed_time"). UserError, 2: no such file, not one
// of ours.
[[nodiscard]] Table read_rows(const std::filesystem::path& file);
// A text dataset of the file: "provenance/resolved_toml".
[[nodiscard]] std::string read_text(const std::filesystem::path& file, const std::string& path);

}  // namespace echo::results
