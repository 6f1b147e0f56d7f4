#include "overlaps/alone_times.hpp"

#include <gtest/gtest.h>

namespace echo::overlaps {
namespace {

AloneTimes times(const std::vector<std::int64_t>& durations) {
  AloneTimes out;
  for (std::size_t i = 0; i < durations.size(); ++i)
    out.add(static_cast<std::int64_t>(100 * i), durations[i]);
  out.sort();
  return out;
}

TEST(AloneTimes, QuantilesLieBetweenNeighboursInProportion) {
  const AloneTimes some = times({40, 10, 30, 20});
  EXPECT_EQ(some.count(), 4);
  EXPECT_DOUBLE_EQ(some.median(), 25.0);
  EXPECT_DOUBLE_EQ(some.quantile(0.0), 10.0);
  EXPECT_DOUBLE_EQ(some.quantile(1.0), 40.0);
  EXPECT_DOUBLE_EQ(some.quantile(0.1), 13.0);
  EXPECT_DOUBLE_EQ(some.spread(), (37.0 - 13.0) / 25.0);
}

TEST(AloneTimes, OneHasNoSpreadAndNothingIsInfinitelySpread) {
  EXPECT_DOUBLE_EQ(times({8}).spread(), 0.0);
  EXPECT_TRUE(std::isinf(times({0, 0}).spread()));
}

TEST(AloneTimes, TheNearestInTimeIsOnEitherSide) {
  const AloneTimes some = times({5, 5, 5});  // at 0, 100 and 200
  EXPECT_EQ(some.nearest(130), 30);
  EXPECT_EQ(some.nearest(180), 20);
  EXPECT_EQ(some.nearest(500), 300);
  EXPECT_EQ(some.nearest(-7), 7);
}

}  // namespace
}  // namespace echo::overlaps
