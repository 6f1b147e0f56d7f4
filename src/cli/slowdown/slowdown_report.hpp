// What a nested cross-validation found, for people, programs and plots.
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
// A line per row of the data: what was measured, the fold that held it out, and the overlapped time that each
// candidate predicted of it then, in seconds.
[[nodiscard]] std::string report_csv(const SlowdownReport&);

[[nodiscard]] std::string verdict_of(const learn::NestedReport&);

}  // namespace echo::cli
