#include "learn/candidates/baselines.hpp"

#include <gtest/gtest.h>

#include "learn/fit/booster.hpp"
#include "tests/support/learn_examples.hpp"

using namespace echo;
using namespace echo::learn;

static Example example_of(std::string kernel, double slowdown, double ratio = 1.0) {
  Example example;
  example.row.kernel = std::move(kernel);
  example.row.alone = 1e-5;
  example.row.overlap_ratio = ratio;
  example.row.overlapped = slowdown::overlapped_time(1e-5, ratio, slowdown);
  return example;
}

TEST(MedianByKernelName, IsOfTheRowsThatOverlapAndWereGiven) {
  Examples examples;
  examples.rows = {example_of("a", 1.0), example_of("a", 3.0),       example_of("a", 8.0),
                   example_of("b", 0.5), example_of("a", 99.0, 0.0), example_of("a", 99.0),
                   example_of("b", 1.5), example_of("c", 7.0)};
  const std::vector<std::int32_t> rows{0, 1, 2, 3, 4, 6};
  const Fitted fitted = median_by_kernel_name().fit(examples, rows, 1).front();
  EXPECT_NEAR(fitted.slowdown(examples.rows[5]), 3.0, 1e-12);
  EXPECT_NEAR(fitted.slowdown(examples.rows[3]), 1.0, 1e-12);
  EXPECT_EQ(fitted.slowdown(examples.rows[7]), 0.0) << "a name never seen";
}

TEST(EchoSettings, LearnTheirOwnRowsByHeart) {
  if (!is_built_with_xgboost()) GTEST_SKIP() << "built without xgboost";
  const Examples examples = echo::testing::metric_examples(80, 4, 1, echo::testing::by_dram);
  const Fitted fitted = echo_settings().fit(examples, echo::testing::all_rows(examples), 1).front();
  for (const Example& example : examples.rows)
    EXPECT_NEAR(fitted.slowdown(example), echo::testing::by_dram(example.row), 0.05);
}

TEST(Candidates, BeginWithNoSlowdownAndNeverMixFeatureSets) {
  for (const slowdown::FeatureSet features :
       {slowdown::FeatureSet::metrics, slowdown::FeatureSet::simulator}) {
    Examples examples = echo::testing::priced_examples(24, 1, 1.0);
    examples.features = features;
    const auto rows = echo::testing::all_rows(examples);
    const auto table = candidates_of(examples);
    EXPECT_EQ(table.front().name, "no_slowdown");
    for (const Candidate& candidate : table) {
      const auto fitted = candidate.fit(examples, rows, 1);
      ASSERT_EQ(fitted.size(), candidate.settings.size()) << candidate.name;
      for (const Fitted& one : fitted) {
        EXPECT_EQ(one.model.has_value(), candidate.role == Role::learned) << candidate.name;
        if (!one.model) continue;
        EXPECT_TRUE(slowdown::is_sound(*one.model)) << candidate.name;
        EXPECT_EQ(one.model->features, features) << candidate.name;
      }
    }
  }
}
