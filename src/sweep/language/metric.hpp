// The metrics: numbers that limits bound, objectives rank by, and `--where` filters by.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "campaign/whole_training.hpp"
#include "sweep/language/unit.hpp"

namespace echo::sweep {

using MetricInput = campaign::PlannedTraining;

// Which predicted error a metric shares, and how: as much longer as a step is, as much shorter, as much
// larger as peak memory is; none: it follows from the config, or contains the error itself; unknown: no band
// is known (shares of a step).
enum class ErrorLaw : std::int8_t { none, step, inverse_step, memory, unknown };
// In the result file: "none", "step_time", "1/step_time", "mem_peak", "unknown".
[[nodiscard]] std::string_view name_of(ErrorLaw);

// What a metric needs of the sweep's terms, as bits; without it, it is unknown in every row.
enum Need : std::uint8_t {
  needs_nothing = 0,
  needs_tokens = 1,
  needs_price = 2,
  needs_carbon = 4,
  needs_failures = 8
};

struct Metric {
  std::string_view name;  // the result file's column
  Unit unit;
  bool small_is_good;
  ErrorLaw error;
  // NaN where the report does not hold it.
  double (*value)(const MetricInput&);
  std::uint8_t needs = needs_nothing;
};

// In the order of the table. The result file has a column of each.
inline constexpr std::array<std::string_view, 24> metric_names{"step_time",
                                                               "train_time",
                                                               "tokens_per_s",
                                                               "tokens_per_s_per_gpu",
                                                               "mfu",
                                                               "mem_peak",
                                                               "gpus",
                                                               "slowdown_tax",
                                                               "bubble_frac",
                                                               "exposed_comm_frac",
                                                               "overlap_frac",
                                                               "step_time_p50",
                                                               "step_time_p90",
                                                               "gpu_hours",
                                                               "cost",
                                                               "tokens_per_cost",
                                                               "energy_step",
                                                               "energy",
                                                               "carbon",
                                                               "gpu_power",
                                                               "goodput",
                                                               "checkpoint_interval",
                                                               "train_time_p50",
                                                               "train_time_p90"};
[[nodiscard]] std::span<const Metric> metric_table();
[[nodiscard]] const Metric* find_metric(std::string_view name);  // null when there is none

}  // namespace echo::sweep
