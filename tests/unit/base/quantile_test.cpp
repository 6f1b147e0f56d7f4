#include "base/quantile.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/contract.hpp"

namespace echo {
namespace {

TEST(Quantile, LiesBetweenNeighboursInProportion) {
  const std::vector<double> sorted{1.0, 2.0, 4.0};
  EXPECT_EQ(quantile(sorted, 0.0), 1.0);
  EXPECT_EQ(quantile(sorted, 0.5), 2.0);
  EXPECT_EQ(quantile(sorted, 0.75), 3.0);
  EXPECT_EQ(quantile(sorted, 1.0), 4.0);
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median_of({4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(median_of({5.0, 1.0, 2.0}), 2.0);
}

TEST(Median, OfNothingIsRefused) { EXPECT_THROW((void)median_of({}), ContractViolation); }

}  // namespace
}  // namespace echo
