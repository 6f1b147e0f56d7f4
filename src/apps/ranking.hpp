// Which rows of a result file come first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::apps {

[[nodiscard]] bool is_feasible(const results::Table&, std::int64_t row);

// The metric that ranks fairly: step_time where every feasible row trains the same batch on the same number
// of GPUs, else tokens_per_s_per_gpu.
[[nodiscard]] std::string fair_metric(const results::Table&);
// step_time, tokens_per_s, tokens_per_s_per_gpu or mfu of a row.
[[nodiscard]] double metric_of(const results::Table&, std::int64_t row, const std::string& metric);

// Feasible rows, best first; equal values in file order. `model`: of that model only, empty = all.
[[nodiscard]] std::vector<std::int64_t> ranked(const results::Table&, const std::string& metric,
                                               const std::string& model = "");
// Models that occur, sorted.
[[nodiscard]] std::vector<std::string> models_of(const results::Table&);

// Rows that lack memory, the least short first.
[[nodiscard]] std::vector<std::int64_t> least_infeasible(const results::Table&);

// How many rows each reason cost, most first, and how far the median row was (bytes for `memory`, else NaN).
struct ReasonCount {
  std::string reason;
  std::int64_t rows = 0;
  double median_margin = 0.0;
};
[[nodiscard]] std::vector<ReasonCount> reasons_of(const results::Table&);

}  // namespace echo::apps
