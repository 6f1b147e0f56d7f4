#include "config/measured/measured_routing.hpp"

#include <gtest/gtest.h>

namespace echo::config {
namespace {

ops::Routing routing(const RoutingDrawn& drawn) { return MeasuredRoutings().of(drawn).value(); }

TEST(MeasuredRouting, KnowsTheNamesOfDistributions) {
  EXPECT_EQ(unevenness_of("balanced"), 0);
  EXPECT_EQ(unevenness_of("power_law_1.01"), 100);
  EXPECT_EQ(unevenness_of("power_law_1.2"), 5);
  EXPECT_LT(unevenness_of("uniform"), 0);
  EXPECT_FALSE(MeasuredRoutings().of({.tokens = 64, .experts = 8, .choices = 2, .unevenness = -1}));
}

TEST(MeasuredRouting, BalancedRowsDivideAmongTheRanks) {
  const ops::Routing one = routing({.tokens = 4096, .experts = 128, .choices = 8, .ranks = 32});
  EXPECT_EQ(one.rows, 1024);
  EXPECT_EQ(one.reached, 1024);  // no token has two of the four experts here
  EXPECT_EQ(one.experts, 128);
}

TEST(MeasuredRouting, EveryTokenReachesARankWithAFullShareOfChoices) {
  const ops::Routing one = routing({.tokens = 4096, .experts = 128, .choices = 8, .ranks = 4});
  EXPECT_EQ(one.rows, 8192);
  EXPECT_EQ(one.reached, 4096);
}

TEST(MeasuredRouting, TheBusiestRankOfAPowerLawHasMoreThanItsShare) {
  for (const std::int32_t unevenness : {5, 100}) {
    const ops::Routing one =
        routing({.tokens = 4096, .experts = 128, .choices = 8, .ranks = 32, .unevenness = unevenness});
    EXPECT_GT(one.rows, 2 * 1024);
    EXPECT_LE(one.reached, 4096);
    EXPECT_GE(one.rows, one.reached);
  }
}

TEST(MeasuredRouting, OneRankHasAllRowsHoweverUneven) {
  const ops::Routing one = routing({.tokens = 4096, .experts = 8, .choices = 2, .unevenness = 5});
  EXPECT_EQ(one.rows, 8192);
  EXPECT_EQ(one.reached, 4096);
}

TEST(MeasuredRouting, IsTheSameEveryTime) {
  const RoutingDrawn drawn{.tokens = 3072, .experts = 256, .choices = 8, .ranks = 16, .unevenness = 5};
  EXPECT_EQ(routing(drawn), routing(drawn));
}

}  // namespace
}  // namespace echo::config
