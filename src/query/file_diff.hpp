// What sets two results apart, and why: rows are matched by config_id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::query {

// A real column over the rows both have.
struct MetricChange {
  std::string metric;
  std::int64_t rows = 0;        // whose value differs, or is missing in one of the two
  double largest = 0.0;         // relative to the first file, with its sign; NaN where none has both values
  std::uint64_t config_id = 0;  // of the largest
};

struct StatusChange {
  std::string from, to;  // "ok", "infeasible (memory)"
  std::int64_t rows = 0;
};

// A row among the best of either file, by the objective of the first.
struct RankChange {
  std::uint64_t config_id = 0;
  std::int64_t from = 0, to = 0;     // 1 = best; 0 = not among the feasible rows of that file
  double before = 0.0, after = 0.0;  // the objective; NaN where the file has none
  std::string cause;                 // "its step_time changed +3.1 %", "only in the second file", ...
};

// `causes`: in which keys the files differ: "space", "presets", "calibration", "code"; and "settings"
// (limits, target, work budget, slowdown), which is only known where the last three agree.
struct FileDiff {
  std::int64_t only_first = 0, only_second = 0, both = 0;
  std::vector<std::string> causes;
  std::vector<StatusChange> status;   // most rows first
  std::vector<MetricChange> metrics;  // file order; those that differ
  sweep::Objective by;
  std::vector<RankChange> ranks;  // by the better of the two ranks; those that differ
  [[nodiscard]] bool is_equal() const {
    return only_first == 0 && only_second == 0 && status.empty() && metrics.empty();
  }
};

// `count`: how many of the best of each file are looked at; `where`: only rows it keeps, of both files.
// Memory: about 80 bytes for each row of the two.
[[nodiscard]] FileDiff diff_of(const results::ResultRows& first, const results::ResultRows& second,
                               std::int64_t count, const std::string& where);

[[nodiscard]] std::string diff_text(const FileDiff&);
[[nodiscard]] std::string diff_json(const FileDiff&);

}  // namespace echo::query
