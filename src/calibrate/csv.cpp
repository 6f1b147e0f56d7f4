#include "calibrate/csv.hpp"

#include <cstdlib>
#include <fstream>
#include <limits>

#include "base/error.hpp"

namespace echo::calibrate {

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back().push_back(c);
    }
  }
  return cells;
}

}  // namespace

CsvTable::CsvTable(const std::string& path) : path_(path) {
  std::ifstream in(path);
  if (!in) {
    throw UserError("cannot read the table " + path,
                    "set ECHO_DATA_DIR (or --data) to the folder that holds the measured tables");
  }
  std::string line;
  std::getline(in, line);
  header_ = split(line);
  while (std::getline(in, line)) {
    cells_.push_back(split(line));
    cells_.back().resize(header_.size());
  }
}

std::size_t CsvTable::column(std::string_view name) const {
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (header_[i] == name) return i;
  }
  throw UserError(path_ + " has no column \"" + std::string(name) + "\"",
                  "use the table as published, header included");
}

const std::string& CsvTable::text(std::size_t row, std::size_t column) const { return cells_[row][column]; }

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string& cell = text(row, column);
  return cell.empty() ? std::numeric_limits<double>::quiet_NaN() : std::strtod(cell.c_str(), nullptr);
}

}  // namespace echo::calibrate
