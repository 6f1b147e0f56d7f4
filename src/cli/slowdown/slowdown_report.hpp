// The result of a nested cross-validation as text, JSON and CSV.
#pragma once

#include <string>

#include "cli/slowdown/slowdown_data.hpp"
#include "learn/evaluate/nested.hpp"

namespace echo::cli {

struct SlowdownReport {
  const SlowdownData& data;
  const learn::NestedReport& nested;
  learn::FoldSettings folds;
};

[[nodiscard]] std::string report_text(const SlowdownReport&);
[[nodiscard]] std::string report_json(const SlowdownReport&);
// One line per row of the data: the measurement, the fold that held it out, and the overlapped time predicted
// by each candidate, in seconds.
[[nodiscard]] std::string report_csv(const SlowdownReport&);

[[nodiscard]] std::string verdict_of(const learn::NestedReport&);

}  // namespace echo::cli
