// Output of the process that collects counters to its parent: one line per kernel as soon as it is measured,
// so that no results are lost if it fails or is stopped.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "profilers/overlap/metric_names.hpp"

namespace echo::profilers {

using MetricValues = std::array<double, metric_names.size()>;

struct CollectedMetrics {
  std::map<std::int32_t, MetricValues> of_kernel;  // by its number in the plan
  std::string failure;                             // why there are no more; empty = all were collected
};

[[nodiscard]] std::string metric_line(std::int32_t kernel, const MetricValues&);
[[nodiscard]] std::string failure_line(std::string_view why);
[[nodiscard]] std::string done_line();

// Reads such lines; any other (libraries print, too) is passed over, and so is a last one that was cut off.
// `ended` says why the process ended where the text does not.
[[nodiscard]] CollectedMetrics read_metric_text(std::string_view text, std::string_view ended);

}  // namespace echo::profilers
