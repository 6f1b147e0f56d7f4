// A result file whose ranking takes measured runs into account: /measured, which `echo-sweep update` writes.
// Columns of the file stay predictions, and rows_digest theirs; what the runs say of each row stands beside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::results {

// One run of a row of the file.
struct RunOfRow {
  std::int64_t row = 0;
  double step_time = 0.0;  // measured mean, s
  std::int64_t steps = 0;  // that it is the mean of
};

// In the order of the file; empty where it has predictions alone.
[[nodiscard]] std::vector<RunOfRow> read_measured(const storage::Hdf5File&);

// The column of settle::RowError::explained, one value per run. Only updated files have it.
inline constexpr const char* explained_column = "measured/explained";

// Reads the columns that follow the step time as they are to be expected after the runs: step_time and what
// is as much longer, times exp(measured/shift); rates, divided by it; rel_error and rel_error_p90 as they
// remain; step_time_p90 and train_time_p90 by both (to first order where they contain more than the error).
// Every other column, and every column of a file without runs, as a ResultFile reads it.
class UpdatedFile : public ResultFile {
 public:
  explicit UpdatedFile(const std::filesystem::path&);
  using ResultFile::read;
  void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
            std::vector<double>& out) const override;

 private:
  [[nodiscard]] std::vector<double> values_of(const std::string& column, std::int64_t first,
                                              std::int64_t count) const;
};

}  // namespace echo::results
