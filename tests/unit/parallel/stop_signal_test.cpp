#include "parallel/launch/stop_signal.hpp"

#include <gtest/gtest.h>

namespace echo::parallel {
namespace {

TEST(StopSignal, IsAHurryOnlySoonAfterAnother) {
  constexpr std::int64_t second = 1'000'000'000;
  EXPECT_FALSE(is_hurry(0, 3 * second));
  EXPECT_TRUE(is_hurry(3 * second, 8 * second));
  EXPECT_FALSE(is_hurry(3 * second, 9 * second));
}

}  // namespace
}  // namespace echo::parallel
