#include "accuracy/coverage.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_step_errors.hpp"

namespace echo::accuracy {
namespace {

TEST(Coverage, CountsWhatTheBandsHold) {
  const std::vector<BandedError> rows{{"a", 0.1, 0.2}, {"a", -0.3, 0.2}, {"b", 0.2, 0.2}};
  EXPECT_NEAR(coverage(rows).covered, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(coverage(rows, 1.5).covered, 1.0);
  EXPECT_NEAR(coverage(rows, 1.5).median_band, 0.3, 1e-12);
  EXPECT_EQ(coverage_by_group(rows).at("a").covered, 0.5);
  EXPECT_EQ(coverage_by_group(rows).at("b").rows, 1);
}

TEST(Coverage, TellsACommonShiftFromASpread) {
  const Coverage shifted = coverage({{"a", -0.21, 0.1}, {"a", -0.2, 0.1}, {"a", -0.19, 0.1}});
  EXPECT_NEAR(shifted.shift, -0.2, 1e-12);
  EXPECT_NEAR(shifted.spread, 0.01, 1e-12);
  const Coverage spread = coverage({{"a", -0.2, 0.1}, {"a", 0.0, 0.1}, {"a", 0.2, 0.1}});
  EXPECT_NEAR(spread.shift, 0.0, 1e-12);
  EXPECT_NEAR(spread.spread, 0.2, 1e-12);
}

TEST(Coverage, OfNormalErrorsIsThatOfTheNormalLaw) {
  std::vector<BandedError> rows;
  for (std::uint64_t i = 0; i < 20'000; ++i) rows.push_back({"a", 0.1 * draw_normal(1, i, 0), 0.1});
  EXPECT_NEAR(coverage(rows, 1.2816).covered, 0.8, 0.01);
  EXPECT_NEAR(factor_that_covers(rows, 0.8), 1.2816, 0.03);
}

TEST(Coverage, AGroupWeighsAsTheRootOfItsRows) {
  std::vector<BandedError> rows(900, {"many", 0.1, 0.1});
  for (int i = 0; i < 100; ++i) rows.push_back({"fewer", 0.5, 0.1});
  EXPECT_NEAR(factor_that_covers(rows, 0.74), 1.0, 1e-9);  // 30 / (30 + 10)
  EXPECT_NEAR(factor_that_covers(rows, 0.76), 5.0, 1e-9);
}

TEST(Coverage, TheFactorFoundHoldsWhatWasAsked) {
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    std::vector<BandedError> rows;
    for (std::uint64_t i = 0; i < 40; ++i)
      rows.push_back({"a", draw_normal(2, trial, i), 0.5 + draw_unit(3, trial, i)});
    const double factor = factor_that_covers(rows, 0.8);
    EXPECT_GE(coverage(rows, factor).covered, 0.8 - 1e-12) << trial;
    EXPECT_LT(coverage(rows, factor * (1.0 - 1e-9)).covered, 0.8) << trial;
  }
}

}  // namespace
}  // namespace echo::accuracy
