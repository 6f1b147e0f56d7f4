#include "results/swept_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace echo::results {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SweptAxes, AreTheKeysOfTheSpaceAndOfPairsTheFirst) {
  EXPECT_THAT(
      swept_axes("name = 'x'\n[run]\nlimit = 3\n[space]\ntp = [1, 2]\nmodel = 'a'\n\n    [[space.group]]\n"
                 "    name = 'few'\n    gpus = 16\n        [space.group.paired]\n        zero = [1, 1]\n"
                 "        overlap_tp = [true, false]\n[target]\ntokens = 3\n"),
      ElementsAre("tp", "model", "name", "gpus", "zero"));
  EXPECT_THAT(swept_axes(""), IsEmpty());
  EXPECT_THAT(swept_axes("tp = 3\n[spaces]\npp = 2\n"), IsEmpty());
}

}  // namespace
}  // namespace echo::results
