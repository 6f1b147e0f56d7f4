// Comma-separated tables with a header line (RFC 4180: quoted cells may hold commas, line ends and doubled
// quotes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace echo {

class CsvTable {
 public:
  // Throws UserError when the file cannot be read, is empty, takes more than memory_limit(), or a record's
  // cells do not match the header.
  [[nodiscard]] static CsvTable read_file(const std::string& path);
  // The same from text; `name` is the file name in messages.
  [[nodiscard]] static CsvTable parse(std::string_view text, std::string name);

  [[nodiscard]] std::size_t rows() const { return cells_.size(); }
  [[nodiscard]] const std::vector<std::string>& columns() const { return header_; }
  [[nodiscard]] bool has(std::string_view column) const { return find(column) >= 0; }
  // The cell, or an empty one if the table lacks the column.
  [[nodiscard]] std::string_view text(std::size_t row, std::string_view column) const;
  // The cell as a finite number; nothing when blank. Throws UserError (file:line:column) when it is not a
  // number.
  [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view column) const;
  // The same for a whole number that fits 32 bits.
  [[nodiscard]] std::optional<std::int32_t> integer(std::size_t row, std::string_view column) const;
  // Where the row starts in the file.
  [[nodiscard]] Place place(std::size_t row) const { return {name_, line_[row], 1, 1}; }
  // Where the cell starts; the start of the row if the table lacks the column.
  [[nodiscard]] Place place(std::size_t row, std::string_view column) const;
  [[nodiscard]] Place header_place() const { return {name_, 1, 1, 1}; }
  [[nodiscard]] Place header_place(std::string_view column) const;

 private:
  [[nodiscard]] std::int32_t find(std::string_view column) const;
  std::string name_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> cells_;   // [row][column]
  std::vector<std::int32_t> line_;                // [row] 1-based
  std::vector<std::int32_t> header_start_;        // [column] 1-based, as is:
  std::vector<std::vector<std::int32_t>> start_;  // [row][column] where in its line a cell starts
};

}  // namespace echo
