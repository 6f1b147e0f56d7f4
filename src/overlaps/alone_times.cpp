#include "overlaps/alone_times.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"

namespace echo::overlaps {

void AloneTimes::sort() {
  std::stable_sort(samples_.begin(), samples_.end(),
                   [](const Sample& a, const Sample& b) { return a.duration < b.duration; });
  for (const Sample& one : samples_) starts_.push_back(one.start);
  std::sort(starts_.begin(), starts_.end());
}

double AloneTimes::quantile(double share) const {
  const double place = share * static_cast<double>(samples_.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, samples_.size() - 1);
  const auto at_low = static_cast<double>(samples_[low].duration),
             at_high = static_cast<double>(samples_[high].duration);
  return at_low + (at_high - at_low) * (place - static_cast<double>(low));
}

double AloneTimes::spread() const {
  const double middle = median();
  return middle > 0.0 ? (quantile(0.9) - quantile(0.1)) / middle : std::numeric_limits<double>::infinity();
}

std::int64_t AloneTimes::nearest(std::int64_t start) const {
  const auto next = std::lower_bound(starts_.begin(), starts_.end(), start);
  std::int64_t out = std::numeric_limits<std::int64_t>::max();
  if (next != starts_.end()) out = *next - start;
  if (next != starts_.begin()) out = std::min(out, start - *std::prev(next));
  return out;
}

}  // namespace echo::overlaps
