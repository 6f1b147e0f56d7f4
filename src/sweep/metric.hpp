// The numbers a limit may bound, an objective may rank by, and `--where` may ask for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "simulate/report.hpp"
#include "sweep/unit.hpp"
#include "training/config.hpp"

namespace echo::sweep {

struct MetricInput {
  const training::TrainingConfig& config;
  const simulate::StepReport& report;
  double target_tokens = 0.0;  // of the whole training; 0 = unknown
};

struct Metric {
  std::string_view name;  // the result file's column
  Unit unit;
  bool small_is_good;
  // NaN where the report does not hold it.
  double (*value)(const MetricInput&);
};

[[nodiscard]] std::span<const Metric> metric_table();
[[nodiscard]] const Metric* find_metric(std::string_view name);  // null when there is none

}  // namespace echo::sweep
