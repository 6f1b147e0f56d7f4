#include "calibrate/kernels/knot_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/counter_rng.hpp"

namespace echo::calibrate {
namespace {

const KnotGrid grid{.at = {{{8, 10, 12, 14}, {8, 11, 14}, {0}}}, .stiffness = 1e-4, .shrink = 1e-6};

double drawn(std::uint64_t key) { return static_cast<double>(mix(key) % 10'000) / 10'000.0; }

// Measurements off by 0.05 (x - 11) - 0.03 (y - 11) in the logarithm, every fifth one off by 2 more.
std::vector<KnotSample> tilted() {
  std::vector<KnotSample> samples;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const double x = 8 + 6 * drawn(2 * i), y = 8 + 6 * drawn(2 * i + 1);
    samples.push_back({{x, y, 0}, 0.05 * (x - 11) - 0.03 * (y - 11) + (i % 5 == 0 ? 2.0 : 0.0), 1.0});
  }
  return samples;
}

TEST(FitKnots, FindTheTrendDespiteOutliers) {
  const auto samples = tilted();
  const kernels::Knots knots = fit_knots(grid, samples);
  for (const double x : {8.0, 9.0, 11.0, 14.0})
    for (const double y : {8.0, 11.0, 13.0})
      EXPECT_NEAR(std::log(kernels::correction(knots, {x, y, 0})), 0.05 * (x - 11) - 0.03 * (y - 11), 0.01);
}

TEST(FitKnots, AreTheSameToTheBitWhenRepeated) {
  const auto samples = tilted();
  EXPECT_EQ(fit_knots(grid, samples), fit_knots(grid, samples));
}

TEST(FitKnots, CorrectNothingWhereNothingIsOff) {
  std::vector<KnotSample> samples = tilted();
  for (KnotSample& sample : samples) sample.log_ratio = 0.0;
  for (const double factor : fit_knots(grid, samples).factor) EXPECT_NEAR(factor, 1.0, 1e-9);
  for (const double factor : fit_knots(grid, {}).factor) EXPECT_EQ(factor, 1.0);
}

TEST(FitKnots, ContinueALineWhereThereAreNoSamples) {
  std::vector<KnotSample> samples;
  for (const KnotSample& sample : tilted())
    if (sample.point[0] < 12) samples.push_back(sample);
  const kernels::Knots knots = fit_knots({.at = grid.at, .stiffness = 0.1, .shrink = 1e-9}, samples);
  EXPECT_NEAR(std::log(kernels::correction(knots, {14, 11, 0})), 0.15, 0.03);
}

}  // namespace
}  // namespace echo::calibrate
