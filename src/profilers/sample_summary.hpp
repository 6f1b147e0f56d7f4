// Summary of repeats of one measurement in three numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace echo::profilers {

struct SampleSummary {
  double median = 0.0;
  double spread = 0.0;  // half the width of the middle two thirds, relative to the median
  std::int32_t kept = 0, dropped = 0;
};

// Outliers are samples further from the median than ten spreads and than 5 % of it: something else used the
// GPU. They are dropped where they are few (at most a tenth); where they are many they are what happens, and
// stay. Precondition: positive samples, at least one.
[[nodiscard]] SampleSummary summarise(std::vector<double> samples);

}  // namespace echo::profilers
