// Comma-separated tables with a header line; quoted fields may hold commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace echo::calibrate {

class CsvTable {
 public:
  // Throws UserError when the file cannot be read, naming ECHO_DATA_DIR.
  explicit CsvTable(const std::string& path);
  [[nodiscard]] std::size_t rows() const { return cells_.size(); }
  // Column number; throws UserError when the header lacks it.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const;
  [[nodiscard]] double number(std::size_t row, std::size_t column) const;  // NaN when empty

 private:
  std::string path_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> cells_;  // [row][column]
};

}  // namespace echo::calibrate
