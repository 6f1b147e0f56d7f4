#include "profilers/kernels/kernel_runs.hpp"

#include <gtest/gtest.h>

namespace echo::profilers {
namespace {

LaunchTrain train_of(double seconds, std::size_t launches = 10) {
  return {.seconds = std::vector<double>(launches, seconds), .clock_mhz = 0.0};
}

TEST(LaunchTrains, LastTenMillisecondsWithinTheQueue) {
  for (const double seconds : {2e-6, 50e-6, 1e-3, 20e-3, 0.5}) {
    const std::int32_t launches = launches_in_train(seconds, 1);
    EXPECT_GE(launches, 8);
    EXPECT_LE(launches, 256);
    if (launches < 256) {
      EXPECT_GE(launches * seconds, 10e-3);
    }
    EXPECT_LE(launches_in_train(seconds, 4) * 4, 256 + 8 * 4);
  }
}

TEST(LaunchTrains, AreSummedUpWithoutTheLaunchesAtRest) {
  LaunchTrain train = train_of(1e-3);
  train.seconds[0] = train.seconds[1] = 5e-3;
  const auto summary = summary_of({train, train});
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->median, 1e-3);
  EXPECT_EQ(summary->kept, 16);
  EXPECT_FALSE(summary_of({train_of(1e-3, 4)}).has_value());  // two are left
  EXPECT_FALSE(summary_of({}).has_value());
}

TEST(LaunchTrains, SettleWhereTheirMediansAgree) {
  EXPECT_FALSE(is_settled({train_of(1.0), train_of(1.0)}, 3));
  EXPECT_TRUE(is_settled({train_of(1.0), train_of(1.02), train_of(1.0)}, 3));
  EXPECT_FALSE(is_settled({train_of(1.0), train_of(1.2), train_of(1.0)}, 3));
}

TEST(LaunchTrains, AreNoMoreThanThreeTimesWhatWasAskedFor) {
  std::vector<LaunchTrain> trains;
  for (std::int32_t i = 0; i < 9; ++i) {
    EXPECT_FALSE(is_settled(trains, 3)) << i;
    trains.push_back(train_of(1.0 + i));
  }
  EXPECT_TRUE(is_settled(trains, 3));
}

TEST(HowText, SaysWhereOperandsWere) {
  EXPECT_TRUE(is_warm(how_text("echo-profile x.h5 --warm", "a GPU", true)));
  EXPECT_FALSE(is_warm(how_text("echo-profile x.h5", "a GPU", false)));
}

}  // namespace
}  // namespace echo::profilers
