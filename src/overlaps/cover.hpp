// How much of a time span is covered by spans of other things.
#pragma once

#include <cstdint>
#include <vector>

namespace echo::overlaps {

struct Span {
  std::int64_t begin = 0, end = 0;  // ns, end >= begin
  std::int64_t lane = 0;            // the stream it runs on
};

// The time during which at least so many different lanes are busy.
class Cover {
 public:
  // Contract: lanes >= 1. O(n log n).
  Cover(const std::vector<Span>& spans, std::int64_t lanes);
  // Covered ns from `begin` to `end`. O(log n).
  [[nodiscard]] std::int64_t within(std::int64_t begin, std::int64_t end) const;

 private:
  [[nodiscard]] std::int64_t before(std::int64_t time) const;

  std::vector<std::int64_t> begins_, ends_;  // of the covered spans, ascending and apart
  std::vector<std::int64_t> covered_;        // [span] ns of all spans before it
};

}  // namespace echo::overlaps
