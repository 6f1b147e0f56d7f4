#include "parallel/session.hpp"

#include <gtest/gtest.h>

namespace echo::parallel {
namespace {

TEST(ExitCodes, TheGraverWins) {
  EXPECT_EQ(graver(0, 75), 75);
  EXPECT_EQ(graver(75, 5), 5);
  EXPECT_EQ(graver(3, 4), 4);
  EXPECT_EQ(graver(1, 5), 1);
  EXPECT_EQ(graver(0, 139), 1);  // an unknown code is a bug
}

}  // namespace
}  // namespace echo::parallel
