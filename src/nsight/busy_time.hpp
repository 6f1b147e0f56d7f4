// Busy time of intervals within a time range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace echo::nsight {

struct Interval {
  std::int64_t start = 0, end = 0;  // ns, end >= start
};

// The intervals' union: apart from each other, in order.
[[nodiscard]] std::vector<Interval> united(std::vector<Interval>);

// The time in which at least `least` of some intervals run at once.
class BusyTime {
 public:
  BusyTime(std::span<const Interval>, std::int32_t least);
  [[nodiscard]] std::int64_t within(Interval) const;  // in O(log n)

 private:
  struct Change {
    std::int64_t time = 0, busy_before = 0;
    bool is_busy = false;  // from here on
  };
  [[nodiscard]] std::int64_t until(std::int64_t time) const;
  std::vector<Change> changes_;
};

}  // namespace echo::nsight
