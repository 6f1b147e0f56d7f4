#include "profilers/kernels/kernel_runs.hpp"

#include <algorithm>
#include <string_view>

#include "profilers/overlap/cell_samples.hpp"
#include "profilers/overlap/overlap_schedule.hpp"

namespace echo::profilers {

namespace {

constexpr std::int32_t train_milliseconds = 10, least_launches = 8;
constexpr std::size_t least_samples = 3;
constexpr double alike = 0.03;
constexpr std::size_t most_times = 3;
constexpr std::string_view warm = "; operands in L2", cold = "; operands from memory";

std::vector<double> counted(const LaunchTrain& train) {
  const std::size_t skipped = std::min(launches_at_rest, train.seconds.size());
  return {train.seconds.begin() + static_cast<std::ptrdiff_t>(skipped), train.seconds.end()};
}

}  // namespace

std::string how_text(const std::string& command, const std::string& machine, bool is_warm) {
  return command + "; " + machine + std::string(is_warm ? warm : cold);
}

bool is_warm(const std::string& how) { return how.ends_with(warm); }

std::int32_t launches_in_train(double kernel_seconds, std::int32_t kernels_per_launch) {
  return std::max(least_launches, launches_of(kernel_seconds, train_milliseconds) / kernels_per_launch);
}

std::optional<SampleSummary> summary_of(const std::vector<LaunchTrain>& trains) {
  std::vector<double> all;
  for (const LaunchTrain& train : trains) {
    const std::vector<double> some = counted(train);
    all.insert(all.end(), some.begin(), some.end());
  }
  if (all.size() < least_samples) return std::nullopt;
  return summarise(std::move(all));
}

bool is_settled(const std::vector<LaunchTrain>& trains, std::int32_t least) {
  const auto wanted = static_cast<std::size_t>(least);
  if (trains.size() < wanted) return false;
  if (trains.size() >= most_times * wanted) return true;
  double low = 0.0, high = 0.0;
  for (const LaunchTrain& train : trains) {
    const auto summary = summary_of({train});
    if (!summary) return false;
    low = low > 0.0 ? std::min(low, summary->median) : summary->median;
    high = std::max(high, summary->median);
  }
  return high <= low * (1.0 + alike);
}

}  // namespace echo::profilers
