#include "nsight/busy_time.hpp"

#include <algorithm>
#include <utility>

namespace echo::nsight {

std::vector<Interval> united(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> out;
  for (const Interval& one : intervals) {
    if (out.empty() || one.start > out.back().end)
      out.push_back(one);
    else
      out.back().end = std::max(out.back().end, one.end);
  }
  return out;
}

BusyTime::BusyTime(std::span<const Interval> intervals, std::int32_t least) {
  std::vector<std::pair<std::int64_t, std::int32_t>> events;  // when, and how many more run from then on
  for (const Interval& one : intervals) {
    events.emplace_back(one.start, 1);
    events.emplace_back(one.end, -1);
  }
  std::sort(events.begin(), events.end());
  std::int32_t running = 0;
  for (std::size_t i = 0; i < events.size();) {
    const std::int64_t time = events[i].first;
    for (; i < events.size() && events[i].first == time; ++i) running += events[i].second;
    const bool is_busy = running >= least;
    if (!changes_.empty() && changes_.back().is_busy == is_busy) continue;
    changes_.push_back({time, until(time), is_busy});
  }
}

std::int64_t BusyTime::until(std::int64_t time) const {
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), time,
                                     [](std::int64_t t, const Change& change) { return t < change.time; });
  if (next == changes_.begin()) return 0;
  const Change& last = *(next - 1);
  return last.busy_before + (last.is_busy ? time - last.time : 0);
}

std::int64_t BusyTime::within(Interval stretch) const { return until(stretch.end) - until(stretch.start); }

}  // namespace echo::nsight
