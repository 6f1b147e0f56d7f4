#include "parallel/launch/snapshot_writer.hpp"

#include <gtest/gtest.h>

namespace echo::parallel {
namespace {

TEST(Snapshots, TakeATenthOfTheTimeAtMost) {
  const SnapshotPace pace{.every = std::chrono::milliseconds(1000), .most_share = 0.1};
  EXPECT_EQ(next_wait(pace, std::chrono::milliseconds(10)).count(), 1000);
  EXPECT_EQ(next_wait(pace, std::chrono::milliseconds(500)).count(), 4500);
}

}  // namespace
}  // namespace echo::parallel
