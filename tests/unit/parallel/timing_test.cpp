#include "parallel/snapshot_writer.hpp"

#include <gtest/gtest.h>

#include "parallel/session.hpp"
#include "parallel/stop_signal.hpp"

namespace echo::parallel {
namespace {

TEST(ExitCodes, TheGraverWins) {
  EXPECT_EQ(graver(0, 75), 75);
  EXPECT_EQ(graver(75, 5), 5);
  EXPECT_EQ(graver(3, 4), 4);
  EXPECT_EQ(graver(1, 5), 1);
  EXPECT_EQ(graver(0, 139), 1);  // an unknown code is a bug
}

TEST(StopSignal, IsAHurryOnlySoonAfterAnother) {
  constexpr std::int64_t second = 1'000'000'000;
  EXPECT_FALSE(is_hurry(0, 3 * second));
  EXPECT_TRUE(is_hurry(3 * second, 8 * second));
  EXPECT_FALSE(is_hurry(3 * second, 9 * second));
}

TEST(Snapshots, TakeATenthOfTheTimeAtMost) {
  const SnapshotPace pace{.every = std::chrono::milliseconds(1000), .most_share = 0.1};
  EXPECT_EQ(next_wait(pace, std::chrono::milliseconds(10)).count(), 1000);
  EXPECT_EQ(next_wait(pace, std::chrono::milliseconds(500)).count(), 4500);
}

}  // namespace
}  // namespace echo::parallel
