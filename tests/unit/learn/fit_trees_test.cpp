#include "learn/fit/fit_trees.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "base/error.hpp"
#include "learn/fit/booster.hpp"
#include "tests/support/sample_samples.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::learn {
namespace {

using testing::sample_samples;

class Trees : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_built_with_xgboost()) GTEST_SKIP() << "built without xgboost";
  }
};

std::vector<TreeSettings> all_kinds_of_settings() {
  return {{.rounds = 60, .depth = 6},
          {.rounds = 1, .depth = 1},
          {.rounds = 40, .depth = 5, .gamma = 0.02},  // prunes: deleted nodes stay in what is saved
          {.rounds = 80, .depth = 3, .subsample = 0.7, .colsample = 0.5},
          {.rounds = 30, .depth = 8, .min_child_weight = 0.1, .lambda = 0.0}};
}

// Random rows far beyond what was trained on, unknown values, and values on the thresholds themselves.
std::vector<double> hard_rows(const slowdown::Forest& forest, std::size_t features, std::size_t rows) {
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < features; ++i) {
      const double unit = draw_unit(9, row, i);
      const auto& node = forest.nodes[draw(10, row, i) % forest.nodes.size()];
      values.push_back(unit < 0.1   ? std::numeric_limits<double>::quiet_NaN()
                       : unit < 0.3 ? static_cast<double>(node.threshold)
                                    : 100.0 * (unit - 0.6) * draw_unit(11, row, i));
    }
  return values;
}

void expect_equal_bits(const slowdown::Forest& forest, const Booster& booster,
                       const std::vector<double>& values, std::size_t features) {
  const std::size_t rows = values.size() / features;
  const std::vector<float> theirs = booster.predict(values, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double ours = slowdown::evaluate(forest, std::span(values).subspan(row * features, features));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(ours)),
              std::bit_cast<std::uint32_t>(theirs[row]))
        << row;
  }
}

TEST_F(Trees, EqualTheLibraryBitForBit) {
  constexpr std::size_t features = 7;
  const Samples samples = sample_samples(1, support::is_sanitized ? 200 : 1500, features);
  for (const TreeSettings& settings : all_kinds_of_settings()) {
    const Booster booster(samples, settings, {}, 5);
    const slowdown::Forest forest = forest_of_json(booster.json()).forest;
    ASSERT_EQ(forest.roots.size(), static_cast<std::size_t>(settings.rounds));
    expect_equal_bits(forest, booster, samples.values, features);
    expect_equal_bits(forest, booster, hard_rows(forest, features, support::is_sanitized ? 100 : 4000),
                      features);
  }
}

TEST_F(Trees, LearnTheSurfaceBetterThanItsMean) {
  const Samples training = sample_samples(1, 1500, 4, 0.0, 0.0), unseen = sample_samples(2, 500, 4, 0.0, 0.0);
  const slowdown::Forest forest = fit_trees(training, {.rounds = 200}, {}, 5).forest;
  double squares = 0.0, around_mean = 0.0, mean = 0.0;
  for (const double target : unseen.target) mean += target / 500.0;
  for (std::size_t row = 0; row < 500; ++row) {
    const double error =
        slowdown::evaluate(forest, std::span(unseen.values).subspan(row * 4, 4)) - unseen.target[row];
    squares += error * error;
    around_mean += (unseen.target[row] - mean) * (unseen.target[row] - mean);
  }
  EXPECT_LT(squares, 0.05 * around_mean);
}

TEST_F(Trees, AreTheSameAfterAnyOtherTraining) {
  const Samples samples = sample_samples(1, 300, 5);
  const TreeSettings drawing{.rounds = 20, .subsample = 0.6, .colsample = 0.6};
  const auto once = fit_trees(samples, drawing, {}, 5);
  static_cast<void>(fit_trees(sample_samples(3, 100, 5), drawing, {}, 8));
  const auto again = fit_trees(samples, drawing, {}, 5);
  EXPECT_EQ(once.forest, again.forest);
  EXPECT_EQ(once.gain, again.gain);
  EXPECT_NE(once.forest, fit_trees(samples, drawing, {}, 6).forest);
}

TEST_F(Trees, KeepMonotoneConstraintsExactly) {
  constexpr std::size_t features = 5;
  Samples samples = sample_samples(1, 400, features, 0.8);  // noise that free trees would follow
  const std::vector<std::int32_t> monotone{-1, -1, 0, 1, 0};
  const slowdown::Forest forest =
      fit_trees(samples, {.rounds = 80, .depth = 6, .gamma = 0.001}, monotone, 5).forest;
  const slowdown::Forest free = fit_trees(samples, {.rounds = 80, .depth = 6}, {}, 5).forest;
  bool free_breaks_them = false;
  for (std::size_t row = 0; row < 5000; ++row) {
    std::vector<double> low, high;
    for (std::size_t i = 0; i < features; ++i) low.push_back(5.0 * draw_unit(20, row, i) - 1.5);
    const std::size_t moved = draw(21, row, 0) % features;
    if (monotone[moved] == 0) continue;
    high = low;
    high[moved] += draw_unit(22, row, 0);
    ASSERT_LE(monotone[moved] * slowdown::evaluate(forest, low),
              monotone[moved] * slowdown::evaluate(forest, high))
        << row;
    free_breaks_them |=
        monotone[moved] * slowdown::evaluate(free, low) > monotone[moved] * slowdown::evaluate(free, high);
  }
  EXPECT_TRUE(free_breaks_them);
}

TEST_F(Trees, LearnWhatOfABaseIsKept) {
  Samples samples = sample_samples(1, 300, 4);
  samples.base = samples.target;
  for (double& base : samples.base) base *= 4.0;
  const slowdown::Forest forest = fit_trees(samples, {.rounds = 10}, {}, 5).forest;
  EXPECT_NEAR(slowdown::evaluate(forest, std::span(samples.values).first(4)), 0.25, 1e-6);
}

TEST_F(Trees, FollowTheWeightsOfRowsThatDisagree) {
  const Samples samples{.features = {"same"},
                        .values = {1, 1, 1, 1},
                        .target = {0, 0, 1, 1},
                        .weight = {1, 1, 3, 3},
                        .base = {}};
  EXPECT_NEAR(slowdown::evaluate(fit_trees(samples, {}, {}, 1).forest, std::vector{1.0}), 0.75, 1e-6);
}

TEST_F(Trees, GainGoesToTheFeaturesThatMatter) {
  const std::vector<double> gain = fit_trees(sample_samples(1, 1000, 6, 0.0, 0.0), {}, {}, 5).gain;
  ASSERT_EQ(gain.size(), 6U);
  EXPECT_GT(gain[0], gain[1]);
  for (std::size_t idle = 3; idle < 6; ++idle) EXPECT_LT(gain[idle], 0.1 * gain[1]);
}

TEST(TreesWithoutXgboost, AreRefusedWithAWayOut) {
  if (is_built_with_xgboost()) GTEST_SKIP() << "built with xgboost";
  EXPECT_THROW(static_cast<void>(fit_trees(sample_samples(1, 10, 2), {}, {}, 1)), UserError);
}

}  // namespace
}  // namespace echo::learn
