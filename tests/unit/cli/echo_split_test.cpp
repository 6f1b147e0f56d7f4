#include "cli/slowdown/echo_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace echo::cli {
namespace {

// numpy 1.24: RandomState(42).permutation(619) begins 49, 583, 82, 305, 109; of 10 rows 8, 1.
TEST(EchoSplit, HoldsOutWhatNumpyDraws) {
  const std::vector<bool> held = held_out_by_echo(619);
  EXPECT_EQ(std::count(held.begin(), held.end(), true), 124);
  for (const std::size_t row : {49U, 583U, 82U, 305U, 109U}) EXPECT_TRUE(held[row]) << row;
  const std::vector<bool> few = held_out_by_echo(10);
  EXPECT_EQ(std::count(few.begin(), few.end(), true), 2);
  EXPECT_TRUE(few[8] && few[1]);
  EXPECT_TRUE(held_out_by_echo(0).empty());
}

}  // namespace
}  // namespace echo::cli
