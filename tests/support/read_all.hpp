// A whole result file in memory, for tests that look at single cells.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::results {

inline Table read_all(const std::filesystem::path& path) {
  const ResultFile file(path);
  std::vector<ColumnValues> columns;
  for (const ColumnInfo& info : file.columns()) {
    ColumnValues column{info, {}, {}};
    if (info.is_real())
      file.read(info, 0, file.rows(), column.reals);
    else
      file.read(info, 0, file.rows(), column.integers);
    columns.push_back(std::move(column));
  }
  return Table(std::move(columns), file.state(), file.failures());
}

}  // namespace echo::results
