// Rows describe the kernel alone, not sustained: sequences of launches last 10 ms with pauses between them,
// so the GPU is cooler and clocks higher than in a step of minutes. The database accounts for that.
#include "profilers/kernels/profile_rows.hpp"

#include <algorithm>

#include "base/quantile.hpp"
#include "ops/canonical_kernel.hpp"

namespace echo::profilers {

namespace {

template <class Value>
std::int32_t index_of(const Value& value, std::vector<Value>& values) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::int32_t>(found - values.begin());
  values.push_back(value);
  return static_cast<std::int32_t>(values.size() - 1);
}

double median_clock(const std::vector<LaunchTrain>& trains) {
  std::vector<double> clocks;
  for (const LaunchTrain& train : trains)
    if (train.clock_mhz > 0.0) clocks.push_back(train.clock_mhz);
  return clocks.empty() ? 0.0 : median_of(std::move(clocks));
}

}  // namespace

kernels::Profile profile_of(const std::vector<KernelRuns>& all) {
  kernels::Profile profile;
  for (const KernelRuns& runs : all) {
    const auto summary = summary_of(runs.trains);
    if (!summary) continue;
    kernels::Measurement row{.gpu = 0,
                             .key = ops::canonical(runs.key),
                             .seconds = summary->median,
                             .spread = summary->spread,
                             .clock_mhz = median_clock(runs.trains)};
    if (kernels::why_unsound(row) != nullptr) continue;
    row.gpu = index_of(runs.gpu, profile.gpus);
    const kernels::Origin origin{
        .library_version = runs.origin.library, .table = runs.origin.how, .date = runs.origin.date};
    row.origin = index_of(origin, profile.origins);
    profile.rows.push_back(row);
  }
  return kernels::tidied(std::move(profile));
}

}  // namespace echo::profilers
