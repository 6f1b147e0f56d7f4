#include "profilers/sample_summary.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"
#include "base/quantile.hpp"

namespace echo::profilers {

static double relative_spread(const std::vector<double>& sorted, double median) {
  return (quantile(sorted, 5.0 / 6.0) - quantile(sorted, 1.0 / 6.0)) / 2.0 / median;
}

SampleSummary summarise(std::vector<double> samples) {
  ECHO_EXPECT(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const double median = quantile(samples, 0.5);
  const double limit = median * std::max(10.0 * relative_spread(samples, median), 0.05);
  std::vector<double> near;
  for (const double sample : samples)
    if (std::abs(sample - median) <= limit) near.push_back(sample);
  const std::size_t far = samples.size() - near.size();
  const bool drop = 10 * far <= samples.size();
  const std::vector<double>& kept = drop ? near : samples;
  const double kept_median = quantile(kept, 0.5);
  return {.median = kept_median,
          .spread = relative_spread(kept, kept_median),
          .kept = static_cast<std::int32_t>(kept.size()),
          .dropped = static_cast<std::int32_t>(drop ? far : 0)};
}

}  // namespace echo::profilers
