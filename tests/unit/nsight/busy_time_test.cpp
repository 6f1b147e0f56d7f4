#include "nsight/busy_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/counter_rng.hpp"

namespace echo::nsight {
namespace {

constexpr std::int64_t most_time = 60;

std::vector<Interval> random_intervals(std::uint64_t seed) {
  std::vector<Interval> out(mix(seed) % 12);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto a = static_cast<std::int64_t>(mix(100 * seed + 2 * i) % most_time);
    const auto b = static_cast<std::int64_t>(mix(100 * seed + 2 * i + 1) % most_time);
    out[i] = {std::min(a, b), std::max(a, b)};
  }
  return out;
}

// How many of them run in [t, t + 1), for each t.
std::vector<std::int32_t> running(const std::vector<Interval>& intervals) {
  std::vector<std::int32_t> out(most_time, 0);
  for (const Interval& one : intervals)
    for (std::int64_t t = one.start; t < one.end; ++t) ++out[static_cast<std::size_t>(t)];
  return out;
}

TEST(BusyTime, EqualsCountingEveryNanosecond) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const auto intervals = random_intervals(seed);
    const auto counts = running(intervals);
    for (const std::int32_t least : {1, 2, 3}) {
      const BusyTime busy(intervals, least);
      for (const Interval& stretch : random_intervals(seed + 100000)) {
        std::int64_t expected = 0;
        for (std::int64_t t = stretch.start; t < stretch.end; ++t)
          expected += counts[static_cast<std::size_t>(t)] >= least ? 1 : 0;
        EXPECT_EQ(busy.within(stretch), expected) << seed << " " << least;
      }
    }
  }
}

TEST(BusyTime, AUnionRunsWhereAnyOfItsPartsDoes) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const auto intervals = random_intervals(seed);
    const auto parts = united(intervals);
    for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_GT(parts[i].start, parts[i - 1].end) << seed;
    const auto counts = running(intervals), of_parts = running(parts);
    for (std::size_t t = 0; t < counts.size(); ++t) EXPECT_EQ(of_parts[t], std::min(counts[t], 1)) << seed;
  }
}

}  // namespace
}  // namespace echo::nsight
