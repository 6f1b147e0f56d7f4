// Rows with errors, in memory: what error-aware results are tested on.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/counter_rng.hpp"
#include "results/rank/row_errors.hpp"
#include "results/updated_file.hpp"
#include "settle/conditioning.hpp"

namespace echo::results {

struct ErrorRow {
  double step = 1.0;  // s
  std::int64_t gpus = 8;
  double memory = 1e9;  // byte
  RowError error{};
  bool is_feasible = true;
  std::int64_t layout = 0;  // its tp
};

inline ColumnValues whole_numbers(const std::string& name, const std::string& role,
                                  std::vector<std::int64_t> values) {
  ColumnValues column;
  column.name = name, column.role = role, column.integers = std::move(values);
  return column;
}
inline ColumnValues real_numbers(const std::string& name, std::vector<double> values) {
  ColumnValues column;
  column.name = name, column.role = "metric", column.type = storage::ElementType::f8;
  column.reals = std::move(values);
  return column;
}

inline ColumnValues explained_of(const std::vector<ErrorRow>& rows) {
  ColumnValues explained = real_numbers(explained_column, {});
  explained.width = std::ssize(rows.front().error.explained);
  for (const ErrorRow& row : rows)
    explained.reals.insert(explained.reals.end(), row.error.explained.begin(), row.error.explained.end());
  return explained;
}

// Columns as a file has them, an updated one where runs explain something; tokens_per_s is 1 / step. Without
// errors: as a file of schema 1.5. `calibration`: the 90th percentile over the normal law's. `untried`: of
// each row, with a best published MFU of 40 %; empty: as a file before schema 1.9.
inline Table table_with_errors(const std::vector<ErrorRow>& rows, bool with_errors = true,
                               double calibration = 1.0, const std::vector<std::int64_t>& untried = {}) {
  std::vector<std::int64_t> number, status, gpus, gpu, cluster, framework;
  std::vector<double> step, rate, memory, sigma, p90, memory_sigma;
  std::vector<std::vector<double>> parts(error_source_count);
  for (const ErrorRow& row : rows) {
    number.push_back(std::ssize(number)), status.push_back(row.is_feasible ? 0 : 1), gpus.push_back(row.gpus);
    gpu.push_back(row.error.owner[0]), cluster.push_back(row.error.owner[1]);
    framework.push_back(row.error.owner[2]);
    step.push_back(row.step), rate.push_back(1.0 / row.step), memory.push_back(row.memory);
    double squares = 0.0;
    for (std::size_t k = 0; k < error_source_count; ++k)
      parts[k].push_back(row.error.step[k]), squares += row.error.step[k] * row.error.step[k];
    sigma.push_back(std::sqrt(squares)), p90.push_back(calibration * z90 * sigma.back());
    memory_sigma.push_back(row.error.memory);
  }
  std::vector<ColumnValues> columns{whole_numbers("config", "scale", number),
                                    whole_numbers("status", "outcome", status),
                                    whole_numbers("gpus", "input", gpus),
                                    whole_numbers("gpu", "input", gpu),
                                    whole_numbers("cluster", "input", cluster),
                                    whole_numbers("framework", "input", framework),
                                    real_numbers("step_time", step),
                                    real_numbers("tokens_per_s", rate),
                                    real_numbers("mem_peak", memory)};
  std::vector<std::int64_t> tp, ones(rows.size(), 1);
  for (const ErrorRow& row : rows) tp.push_back(row.layout);
  columns.push_back(whole_numbers("tp", "input", tp));
  for (const char* name : {"pp", "cp", "ep", "vpp", "micro_batch", "schedule", "recompute"})
    columns.push_back(whole_numbers(name, "input", ones));
  columns.push_back(real_numbers("mfu", std::vector<double>(rows.size(), 0.5)));
  if (with_errors) {
    columns.push_back(real_numbers("rel_error", sigma));
    columns.push_back(real_numbers("rel_error_p90", p90));
    for (std::size_t k = 0; k < error_source_count; ++k)
      columns.push_back(real_numbers("error_" + std::string(error_source_names[k]), parts[k]));
    columns.push_back(real_numbers("mem_rel_error", memory_sigma));
    if (!rows.empty() && !rows.front().error.explained.empty()) columns.push_back(explained_of(rows));
  }
  if (!untried.empty()) {
    columns.push_back(whole_numbers("untried", "outcome", untried));
    columns.push_back(real_numbers("best_published_mfu", std::vector<double>(rows.size(), 0.4)));
  }
  return Table(std::move(columns));
}

// Errors of a few percent, mostly shared; one to three clusters and frameworks.
inline RowError random_error(std::uint64_t seed, std::uint64_t row, double scale) {
  RowError error{};
  for (std::size_t k = 0; k < error_source_count; ++k) error.step[k] = scale * draw_unit(seed, row, 10 + k);
  error.memory = scale * draw_unit(seed, row, 30);
  error.owner = {0, static_cast<std::int32_t>(draw(seed, row, 31) % 2),
                 static_cast<std::int32_t>(draw(seed, row, 32) % 3)};
  return error;
}

// Conditions the rows on runs of the first `count` of them, which were as predicted; the scale is left as it
// was.
inline void tell_of_runs(std::vector<ErrorRow>& rows, std::size_t count) {
  std::vector<settle::MeasuredRun> runs;
  for (std::size_t i = 0; i < count && i < rows.size(); ++i)
    runs.push_back({static_cast<std::int64_t>(i), rows[i].error, 0.0, 1e-4});
  const settle::Conditioning known(runs);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].error.explained = known.about(static_cast<std::int64_t>(i), rows[i].error).explained;
}

}  // namespace echo::results
