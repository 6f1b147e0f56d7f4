// The metrics: numbers that limits bound, objectives rank by, and `--where` filters by.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "simulate/report.hpp"
#include "sweep/language/unit.hpp"
#include "training/config.hpp"

namespace echo::sweep {

struct MetricInput {
  const training::TrainingConfig& config;
  const simulate::StepReport& report;
  double target_tokens = 0.0;  // of the whole training; 0 = unknown
};

// Which predicted error a metric shares, and how: as much longer as a step is, as much shorter, as much
// larger as peak memory is; none: it follows from the config, or contains the error itself; unknown: no band
// is known (shares of a step).
enum class ErrorLaw : std::int8_t { none, step, inverse_step, memory, unknown };
// In the result file: "none", "step_time", "1/step_time", "mem_peak", "unknown".
[[nodiscard]] std::string_view name_of(ErrorLaw);

struct Metric {
  std::string_view name;  // the result file's column
  Unit unit;
  bool small_is_good;
  ErrorLaw error;
  // NaN where the report does not hold it.
  double (*value)(const MetricInput&);
};

[[nodiscard]] std::span<const Metric> metric_table();
[[nodiscard]] const Metric* find_metric(std::string_view name);  // null when there is none

}  // namespace echo::sweep
