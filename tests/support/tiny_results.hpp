// A result table small enough to check by eye.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/lane.hpp"
#include "results/read_rows.hpp"
#include "training/memory/memory.hpp"

namespace echo {

// What may differ between rows; the rest is the same for all.
struct TinyRow {
  std::uint64_t id = 0;
  std::int64_t model = 0, gpus = 8, tp = 1, ep = 1, status = 0, reason = 0;
  double step = 1.0, forward = 0.5, bubble = 0.5;  // other parts are zero
  double margin = std::numeric_limits<double>::quiet_NaN();
  std::int64_t limit = 0;  // code: none, deadline, cheap
  double excess = std::numeric_limits<double>::quiet_NaN();
  double tax = 0.0;  // seconds of the step that it would not take without slowdown
  double fit =
      std::numeric_limits<double>::quiet_NaN();  // fit_chance; no row has one: a file before schema 1.8
};

inline results::ColumnValues column(std::string name, std::string role) {
  results::ColumnValues values;
  values.name = std::move(name);
  values.role = std::move(role);
  return values;
}

inline results::Table tiny_results(const std::vector<TinyRow>& rows, results::FileState state = {},
                                   std::vector<results::Failure> failures = {}) {
  std::vector<results::ColumnValues> columns;
  const auto integers = [&](const char* name, const char* role, auto value_of) {
    columns.push_back(column(name, role));
    for (const TinyRow& row : rows)
      columns.back().integers.push_back(static_cast<std::int64_t>(value_of(row)));
  };
  const auto coded = [&](const char* name, const char* role, std::vector<std::string> meanings,
                         auto value_of) {
    integers(name, role, value_of);
    columns.back().meanings = std::move(meanings);
  };
  const auto reals = [&](const char* name, const char* role, auto value_of) {
    columns.push_back(column(name, role));
    columns.back().type = storage::ElementType::f8;
    for (const TinyRow& row : rows)
      columns.back().reals.push_back(row.status == 0 ? value_of(row) : std::nan(""));
  };
  integers("config", "scale", [number = std::int64_t{0}](const TinyRow&) mutable { return number++; });
  integers("config_id", "outcome", [](const TinyRow& row) { return row.id; });
  coded("model", "input", {"gpt-a", "gpt-b"}, [](const TinyRow& row) { return row.model; });
  for (const char* name : {"cluster", "gpu", "framework", "schedule", "recompute"}) {
    coded(name, "input", {std::string("some-") + name}, [](const TinyRow&) { return 0; });
  }
  integers("gpus", "input", [](const TinyRow& row) { return row.gpus; });
  integers("tp", "input", [](const TinyRow& row) { return row.tp; });
  integers("ep", "input", [](const TinyRow& row) { return row.ep; });
  for (const char* name : {"pp", "dp", "cp", "etp", "vpp", "micro_batch", "zero", "sequence_parallel"}) {
    integers(name, "input", [](const TinyRow&) { return 1; });
  }
  integers("global_batch", "input", [](const TinyRow&) { return 16; });
  integers("global_batch_tokens", "input", [](const TinyRow&) { return 16000; });
  coded("status", "outcome", {"ok", "infeasible", "failed", "over_budget", "pending"},
        [](const TinyRow& row) { return row.status; });
  coded("reason", "outcome", {"none", "memory", "limit", "unsupported", "internal_error"},
        [](const TinyRow& row) { return row.reason; });
  coded("evidence", "outcome", {"measured"}, [](const TinyRow&) { return 0; });
  integers("critical_stage", "outcome", [](const TinyRow&) { return 0; });
  integers("mem_peak_stage", "outcome", [](const TinyRow&) { return 0; });
  columns.push_back(column("reason_margin", "outcome"));
  columns.back().units = "byte";
  for (const TinyRow& row : rows) columns.back().reals.push_back(row.margin);
  coded("limit", "outcome", {"none", "deadline", "cheap"}, [](const TinyRow& row) { return row.limit; });
  columns.push_back(column("limit_excess", "outcome"));
  for (const TinyRow& row : rows) columns.back().reals.push_back(row.excess);
  reals("step_time", "metric", [](const TinyRow& row) { return row.step; });
  columns.back().units = "s";
  reals("step_time_no_slowdown", "metric", [](const TinyRow& row) { return row.step - row.tax; });
  reals("slowdown_tax", "metric", [](const TinyRow&) { return 0.0; });
  reals("tokens_per_s", "metric", [](const TinyRow& row) { return 16000.0 / row.step; });
  reals("tokens_per_s_per_gpu", "metric",
        [](const TinyRow& row) { return 16000.0 / row.step / static_cast<double>(row.gpus); });
  reals("mfu", "metric", [](const TinyRow& row) { return 0.5 / row.step; });
  reals("mem_peak", "metric", [](const TinyRow&) { return 6.0e10; });
  columns.back().units = "byte";
  bool has_fit = false;
  for (const TinyRow& row : rows) has_fit = has_fit || std::isfinite(row.fit);
  if (has_fit) {
    reals("fit_chance", "metric", [](const TinyRow& row) { return row.fit; });
    reals("mem_rel_error", "metric", [](const TinyRow&) { return 0.1; });
  }
  columns.push_back(column("mem_limit", "metric"));
  columns.back().reals.assign(rows.size(), 8.0e10);
  for (const char* name : {"breakdown/exposed_time", "breakdown/total_time"}) {
    columns.push_back(column(name, "breakdown"));
    columns.back().width = time_category_count;
    columns.back().labels.assign(time_category_names.begin(), time_category_names.end());
    for (const TinyRow& row : rows) {
      for (std::int32_t i = 0; i < time_category_count; ++i) {
        const auto part = static_cast<TimeCategory>(i);
        columns.back().reals.push_back(part == TimeCategory::forward  ? row.forward
                                       : part == TimeCategory::bubble ? row.bubble
                                                                      : 0.0);
      }
    }
  }
  columns.push_back(column("breakdown/mem", "breakdown"));
  columns.back().width = training::memory_part_count;
  columns.back().labels.assign(training::memory_part_names.begin(), training::memory_part_names.end());
  columns.back().reals.assign(rows.size() * training::memory_part_count, 1.0e10);
  return results::Table(std::move(columns), std::move(state), std::move(failures));
}

}  // namespace echo
