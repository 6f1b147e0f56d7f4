#include "profilers/sample_summary.hpp"

#include <gtest/gtest.h>

#include "base/counter_rng.hpp"

namespace echo::profilers {
namespace {

TEST(Summarise, OneSampleIsItsOwnMedian) {
  const SampleSummary one = summarise({3.0});
  EXPECT_EQ(one.median, 3.0);
  EXPECT_EQ(one.spread, 0.0);
  EXPECT_EQ(one.kept, 1);
}

TEST(Summarise, SpreadIsHalfTheMiddleTwoThirds) {
  std::vector<double> samples;
  for (int i = 0; i <= 600; ++i) samples.push_back(100.0 + i / 100.0);  // 100 to 106, evenly
  const SampleSummary summary = summarise(samples);
  EXPECT_NEAR(summary.median, 103.0, 1e-9);
  EXPECT_NEAR(summary.spread, 2.0 / 103.0, 1e-9);
  EXPECT_EQ(summary.dropped, 0);
}

TEST(Summarise, DropsTheFewThatSomethingElseDisturbed) {
  std::vector<double> samples(40, 10.0);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += 0.01 * draw_unit(1, 1, i);
  samples.push_back(500.0);
  const SampleSummary summary = summarise(samples);
  EXPECT_EQ(summary.kept, 40);
  EXPECT_EQ(summary.dropped, 1);
  EXPECT_LT(summary.spread, 0.001);
}

TEST(Summarise, KeepsASecondModeThatIsNoAccident) {
  std::vector<double> samples(80, 10.0);
  samples.insert(samples.end(), 20, 25.0);
  const SampleSummary summary = summarise(samples);
  EXPECT_EQ(summary.kept, 100);
  EXPECT_EQ(summary.dropped, 0);
}

}  // namespace
}  // namespace echo::profilers
