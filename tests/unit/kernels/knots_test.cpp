#include "kernels/knots.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/contract.hpp"
#include "base/counter_rng.hpp"

namespace echo::kernels {
namespace {

TEST(Octaves, AreWholeAtPowersOfTwoAndStraightBetween) {
  EXPECT_EQ(octaves(1.0), 0.0);
  EXPECT_EQ(octaves(4096.0), 12.0);
  EXPECT_EQ(octaves(6144.0), 12.5);
  EXPECT_EQ(octaves(0.25), -2.0);
  for (double x = 1.0; x < 1e6; x *= 1.01) EXPECT_NEAR(octaves(x), std::log2(x), 0.0861);
  EXPECT_THROW((void)octaves(0.0), ContractViolation);
}

// Two by three by one knots of a function that straight lines follow exactly.
Knots plane() { return {.at = {{{0, 2}, {1, 2, 4}, {5}}}, .factor = {1, 2, 4, 3, 4, 6}}; }  // x + y

TEST(Correction, IsOneWithoutKnots) { EXPECT_EQ(correction({}, {1, 2, 3}), 1.0); }

TEST(Correction, FollowsStraightLinesBetweenKnotsAndHoldsTheNearestOutside) {
  const Knots knots = plane();
  EXPECT_DOUBLE_EQ(correction(knots, {0, 1, 99}), 1.0);
  EXPECT_DOUBLE_EQ(correction(knots, {1, 3, 0}), 4.0);
  EXPECT_DOUBLE_EQ(correction(knots, {0.5, 1.25, 5}), 1.75);
  EXPECT_DOUBLE_EQ(correction(knots, {-7, 0, 5}), 1.0);
  EXPECT_DOUBLE_EQ(correction(knots, {9, 9, 5}), 6.0);
}

TEST(KnotsAround, WeighCornersThatSumToOneAndLieOnTheGrid) {
  const Knots knots = plane();
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto at = [i](std::uint64_t axis) {
      return static_cast<double>(mix(i * 3 + axis) % 1000) / 125.0 - 1.0;
    };
    const KnotWeights around = knots_around(knots, {at(0), at(1), at(2)});
    double sum = 0.0;
    for (std::size_t corner = 0; corner < 8; ++corner) {
      sum += around.weight[corner];
      EXPECT_GE(around.weight[corner], 0.0);
      EXPECT_GE(around.knot[corner], 0);
      EXPECT_LT(around.knot[corner], 6);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace echo::kernels
