// Reads the rows of a table one by one and collects their problems.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/csv.hpp"

namespace echo::config {

inline constexpr std::size_t problems_told = 20;  // of one table: more are mostly one slip over and over

// `read(row)` gives a Row or throws UserError; this function then throws the problems of the first twenty bad
// rows.
template <class Row, class Read>
std::vector<Row> every_row(const CsvTable& table, Read read) {
  std::vector<Row> out;
  std::vector<Problem> problems;
  out.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows() && problems.size() < problems_told; ++row) {
    try {
      out.push_back(read(row));
    } catch (const UserError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw UserError(std::move(problems));
  return out;
}

}  // namespace echo::config
