#include "learn/evaluate/error_measures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/counter_rng.hpp"

using namespace echo;
using namespace echo::learn;

TEST(ErrorMeasures, AreWhatAPencilSays) {
  // Slowdowns 1 and 0.5 over all and half of the time; predicted 0.5 and 0.5; one row does not overlap.
  const std::vector<Outcome> outcomes{{1.0, 2.0, 1.0, 0.5}, {4.0, 5.0, 0.5, 0.5}, {1.0, 1.25, 0.0, 7.0}};
  const ErrorMeasures all = measure(outcomes);
  EXPECT_EQ(all.rows, 3);
  EXPECT_NEAR(all.mean, (0.25 + 0.0 + 0.2) / 3, 1e-15);
  EXPECT_NEAR(all.median, 0.2, 1e-15);
  EXPECT_NEAR(all.total, (1.5 + 5.0 + 1.0) / 8.25 - 1.0, 1e-15);
  EXPECT_NEAR(all.within[0], 1.0 / 3, 1e-15);
  EXPECT_NEAR(all.within[2], 1.0 / 3, 1e-15);
  EXPECT_EQ(all.slowed, 2);
  EXPECT_NEAR(all.slowdown_mean, (0.5 + 0.0) / 2, 1e-15);
  // slowdowns 1, 0.5, 0: squared distances from 0.5 sum to 0.5; errors to 0.25
  EXPECT_NEAR(all.slowdown_r2, 0.5, 1e-15);
  const ErrorMeasures overlapping = measure_overlapping(outcomes);
  EXPECT_EQ(overlapping.rows, 2);
  EXPECT_NEAR(overlapping.mean, 0.125, 1e-15);
  EXPECT_NEAR(overlapping.r2, 1.0 - 0.25 / 4.5, 1e-15);
}

TEST(ErrorMeasures, OfPerfectPredictionsAreNone) {
  std::vector<Outcome> outcomes;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const double alone = 1e-6 * (1.0 + 1000.0 * draw_unit(1, 0, i)), ratio = draw_unit(1, 1, i);
    const double slowdown = 3.0 * draw_unit(1, 2, i);
    outcomes.push_back({alone, alone * (1.0 + ratio * slowdown), ratio, slowdown});
  }
  const ErrorMeasures found = measure(outcomes);
  EXPECT_NEAR(found.mean, 0.0, 1e-15);
  EXPECT_NEAR(found.total, 0.0, 1e-15);
  EXPECT_NEAR(found.r2, 1.0, 1e-15);
  EXPECT_NEAR(found.slowdown_r2, 1.0, 1e-12);
  EXPECT_EQ(found.within[0], 1.0);
}

TEST(ErrorMeasures, SayNothingWhereNothingOverlaps) {
  const std::vector<Outcome> outcomes{{1.0, 1.1, 0.0, 0.0}};
  EXPECT_EQ(measure_overlapping(outcomes).rows, 0);
  EXPECT_TRUE(std::isnan(measure_overlapping(outcomes).mean));
  EXPECT_TRUE(std::isnan(measure(outcomes).r2));
  EXPECT_TRUE(std::isnan(measure(outcomes).slowdown_mean));
}
