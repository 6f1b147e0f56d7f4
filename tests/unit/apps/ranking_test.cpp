#include "apps/ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/apps/tiny_results.hpp"

namespace echo::apps {
namespace {

using testing::ElementsAre;

constexpr double gib = 1073741824.0;

TEST(Ranking, PutsTheFastestFirstAndLeavesOutTheInfeasible) {
  const auto table = tiny_results(
      {{.id = 1, .step = 3.0}, {.id = 2, .status = 1}, {.id = 3, .step = 1.0}, {.id = 4, .step = 2.0}});
  EXPECT_THAT(ranked(table, "step_time"), ElementsAre(2, 3, 0));
  EXPECT_THAT(ranked(table, "mfu"), ElementsAre(2, 3, 0));
}

TEST(Ranking, KeepsFileOrderAmongEquals) {
  const auto table = tiny_results({{.step = 2.0}, {.step = 1.0}, {.step = 2.0}, {.step = 1.0}});
  EXPECT_THAT(ranked(table, "step_time"), ElementsAre(1, 3, 0, 2));
}

TEST(Ranking, CountsEachModelForItself) {
  const auto table =
      tiny_results({{.model = 1, .step = 2.0}, {.model = 0, .step = 1.0}, {.model = 1, .step = 0.5}});
  EXPECT_THAT(models_of(table), ElementsAre("gpt-a", "gpt-b"));
  EXPECT_THAT(ranked(table, "step_time", "gpt-b"), ElementsAre(2, 0));
}

TEST(Ranking, ComparesPerGpuWhereGpuCountsDiffer) {
  const auto table = tiny_results({{.gpus = 8, .step = 2.0}, {.gpus = 32, .step = 1.0}});
  EXPECT_EQ(fair_metric(table), "tokens_per_s_per_gpu");
  EXPECT_THAT(ranked(table, fair_metric(table)), ElementsAre(0, 1));  // a fourth of the GPUs, half the speed
  EXPECT_EQ(fair_metric(tiny_results({{.step = 2.0}, {.gpus = 32, .status = 1}})), "step_time");
}

TEST(Reasons, AreCountedMostFirstWithTheMedianShortfall) {
  const auto table = tiny_results({{},
                                   {.status = 1, .reason = 3},
                                   {.status = 1, .reason = 1, .margin = 4 * gib},
                                   {.status = 1, .reason = 1, .margin = 1 * gib},
                                   {.status = 1, .reason = 1, .margin = 9 * gib}});
  const auto reasons = reasons_of(table);
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons[0].reason, "memory");
  EXPECT_EQ(reasons[0].rows, 3);
  EXPECT_DOUBLE_EQ(reasons[0].median_margin, 4 * gib);
  EXPECT_EQ(reasons[1].reason, "unsupported");
  EXPECT_TRUE(std::isnan(reasons[1].median_margin));
  EXPECT_THAT(least_infeasible(table), ElementsAre(3, 2, 4));
}

}  // namespace
}  // namespace echo::apps
