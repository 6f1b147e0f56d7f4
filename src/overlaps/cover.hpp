// How much of a time span is covered by spans of other things.
#pragma once

#include <cstdint>
#include <vector>

#include "nsight/busy_time.hpp"

namespace echo::overlaps {

struct Span {
  std::int64_t begin = 0, end = 0;  // ns, end >= begin
  std::int64_t lane = 0;            // the stream it runs on
};

// The time during which at least so many different lanes are busy.
class Cover {
 public:
  // Contract: lanes >= 1. O(n log n).
  Cover(const std::vector<Span>& spans, std::int32_t lanes);
  // Covered ns from `begin` to `end`. O(log n).
  [[nodiscard]] std::int64_t within(std::int64_t begin, std::int64_t end) const;

 private:
  nsight::BusyTime busy_;
};

}  // namespace echo::overlaps
