#include "parallel/work_dispatch.hpp"

#include <gtest/gtest.h>

#include "parallel/session.hpp"

namespace echo::parallel {
namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> missing(std::vector<sweep::PointIndex> done,
                                                           std::int64_t size) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (const auto& range : missing_ranges(done, size)) ranges.emplace_back(range.begin, range.end);
  return ranges;
}
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(MissingRanges, AreEverythingBeforeAnythingIsDone) { EXPECT_EQ(missing({}, 4), (Ranges{{0, 4}})); }
TEST(MissingRanges, AreNothingOnceAllIsDone) { EXPECT_EQ(missing({0, 1, 2}, 3), Ranges{}); }
TEST(MissingRanges, AreTheGaps) { EXPECT_EQ(missing({1, 2, 5}, 8), (Ranges{{0, 1}, {3, 5}, {6, 8}})); }
TEST(MissingRanges, OfAnEmptySpaceAreNothing) { EXPECT_EQ(missing({}, 0), Ranges{}); }

TEST(ExitCodes, TheGraverWins) {
  EXPECT_EQ(graver(0, 75), 75);
  EXPECT_EQ(graver(75, 5), 5);
  EXPECT_EQ(graver(3, 4), 4);
  EXPECT_EQ(graver(1, 5), 1);
  EXPECT_EQ(graver(0, 139), 1);  // an unknown code is a bug
}

}  // namespace
}  // namespace echo::parallel
