// Compares two result files and explains the differences; rows are matched by config_id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::query {

// The differences in a real column over the common rows.
struct MetricChange {
  std::string metric;
  std::int64_t rows = 0;        // rows whose value differs, or is missing in one file
  double largest = 0.0;         // relative to the first file, signed; NaN if no row has both values
  std::uint64_t config_id = 0;  // row of the largest difference
};

struct StatusChange {
  std::string from, to;  // "ok", "infeasible (memory)"
  std::int64_t rows = 0;
};

// A row among the best of either file by the objective of the first file.
struct RankChange {
  std::uint64_t config_id = 0;
  std::int64_t from = 0, to = 0;     // 1 = best; 0 = not feasible in that file
  double before = 0.0, after = 0.0;  // the objective; NaN if the file has no such row
  std::string cause;                 // "its step_time changed +3.1 %", "only in the second file", ...
};

// `causes`: the keys in which the files differ: "space", "presets", "calibration", "code"; and "settings"
// (limits, target, work budget, slowdown), which is only known if the last three agree.
struct FileDiff {
  std::int64_t only_first = 0, only_second = 0, both = 0;
  std::vector<std::string> causes;
  std::vector<StatusChange> status;   // most rows first
  std::vector<MetricChange> metrics;  // in file order; only those that differ
  sweep::Objective by;
  std::vector<RankChange> ranks;  // by the better of the two ranks; only those that differ
  [[nodiscard]] bool is_equal() const {
    return only_first == 0 && only_second == 0 && status.empty() && metrics.empty();
  }
};

// `count`: number of best rows of each file to compare; `where`: condition on the rows of both files.
// Memory: about 80 bytes per row of both files.
[[nodiscard]] FileDiff diff_of(const results::ResultRows& first, const results::ResultRows& second,
                               std::int64_t count, const std::string& where);

[[nodiscard]] std::string diff_text(const FileDiff&);
[[nodiscard]] std::string diff_json(const FileDiff&);

}  // namespace echo::query
