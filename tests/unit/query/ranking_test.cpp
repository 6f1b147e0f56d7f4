#include "query/rank/ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "tests/support/tiny_results.hpp"

namespace echo::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double gib = 1073741824.0;

const sweep::Objective fastest{"step_time", sweep::Goal::min};

std::vector<std::int64_t> order(const results::ResultRows& rows, const sweep::Objective& by = fastest,
                                std::int64_t count = 100, const std::string& where = "") {
  return ranked(rows, {.by = by, .count = count, .per = "", .where = where}).front().rows;
}

TEST(Ranking, PutsTheFastestFirstAndLeavesOutTheInfeasible) {
  const auto table = tiny_results(
      {{.id = 1, .step = 3.0}, {.id = 2, .status = 1}, {.id = 3, .step = 1.0}, {.id = 4, .step = 2.0}});
  EXPECT_THAT(order(table), ElementsAre(2, 3, 0));
  EXPECT_THAT(order(table, {"mfu", sweep::Goal::max}), ElementsAre(2, 3, 0));
  EXPECT_THAT(order(table, {"mfu", sweep::Goal::min}), ElementsAre(0, 3, 2));
}

TEST(Ranking, KeepsTheValuesOfItsRows) {
  const auto table = tiny_results({{.id = 1, .step = 3.0}, {.id = 2, .status = 1}, {.id = 3, .step = 1.0}});
  const auto by = [&](const sweep::Objective& objective) {
    return ranked(table, {.by = objective, .count = 5, .per = "", .where = ""}).front().values;
  };
  EXPECT_THAT(by(fastest), ElementsAre(1.0, 3.0));
  EXPECT_THAT(by({"step_time", sweep::Goal::max}), ElementsAre(3.0, 1.0));
}

TEST(Ranking, KeepsFileOrderAmongEquals) {
  const auto table = tiny_results({{.step = 2.0}, {.step = 1.0}, {.step = 2.0}, {.step = 1.0}});
  EXPECT_THAT(order(table), ElementsAre(1, 3, 0, 2));
}

TEST(Ranking, OfTheFirstFewIsTheStartOfTheWhole) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<TinyRow> rows(1 + random() % 80);
    for (TinyRow& row : rows)
      row = {.status = random() % 4 == 0 ? 1 : 0, .step = 1.0 + static_cast<double>(random() % 10)};
    const auto table = tiny_results(rows);
    std::vector<std::int64_t> sorted;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].status == 0) sorted.push_back(static_cast<std::int64_t>(i));
    std::ranges::stable_sort(sorted, {},
                             [&](std::int64_t i) { return rows[static_cast<std::size_t>(i)].step; });
    if (sorted.size() > 7) sorted.resize(7);
    EXPECT_EQ(order(table, fastest, 7), sorted) << "seed " << seed;
  }
}

TEST(Ranking, CountsEachModelForItself) {
  const auto table =
      tiny_results({{.model = 1, .step = 2.0}, {.model = 0, .step = 1.0}, {.model = 1, .step = 0.5}});
  const auto groups = ranked(table, {.by = fastest, .count = 1, .per = "model", .where = ""});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "gpt-a");
  EXPECT_EQ(groups[1].name, "gpt-b");
  EXPECT_EQ(groups[1].feasible, 2);
  EXPECT_THAT(groups[1].rows, ElementsAre(2));
}

TEST(Ranking, ComparesPerGpuWhereGpuCountsDiffer) {
  const auto table = tiny_results({{.gpus = 8, .step = 2.0}, {.gpus = 32, .step = 1.0}});
  EXPECT_EQ(ranking_objective(table).metric, "tokens_per_s_per_gpu");
  EXPECT_THAT(order(table, ranking_objective(table)),
              ElementsAre(0, 1));  // a fourth of the GPUs, half the speed
  EXPECT_EQ(ranking_objective(tiny_results({{.step = 2.0}, {.gpus = 32, .status = 1}})), fastest);
}

TEST(Where, KeepsWhatTheExpressionKeeps) {
  const auto table = tiny_results({{.gpus = 8, .step = 4.0},
                                   {.model = 1, .gpus = 16, .step = 2.0},
                                   {.gpus = 32, .step = 1.0},
                                   {.model = 1, .gpus = 64, .step = 3.0}});
  EXPECT_THAT(order(table, fastest, 9, "gpus <= 32 and model == 'gpt-a'"), ElementsAre(2, 0));
  EXPECT_THAT(order(table, fastest, 9, "step_time < 3500 ms"), ElementsAre(2, 1, 3));
  EXPECT_THAT(order(table, fastest, 9, "gpus / tp > 16"), ElementsAre(2, 3));
  EXPECT_THAT(order(table, fastest, 9, "not sequence_parallel"), ElementsAre());
  EXPECT_THAT(order(table, fastest, 9, "zero == 1 and mem_peak < 70 GB"), ElementsAre(2, 1, 3, 0));
}

TEST(Where, LeavesOutRowsThatLackAValueItNames) {
  const auto table = tiny_results({{}, {.status = 1, .reason = 2, .limit = 1, .excess = 0.5}});
  EXPECT_THAT(order(table, fastest, 9, "limit_excess < 1 or gpus > 0"), ElementsAre());
  EXPECT_THAT(order(table, fastest, 9, "gpus > 0"), ElementsAre(0));
}

std::string refusal(const std::string& expression) {
  try {
    (void)RowFilter(tiny_results({{}}), expression);
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.what();
  }
  return "";
}

TEST(Where, ShowsAMistakeWithACaret) {
  EXPECT_THAT(refusal("tp == 1 and gpu_s < 8"),
              HasSubstr("\n  tp == 1 and gpu_s < 8\n              ^~~~~; did you mean \"gpus\"?"));
  EXPECT_THAT(refusal("model == 'gpt-c'"), HasSubstr("no row can have model \"gpt-c\""));
  EXPECT_THAT(refusal("gpus + 1"), HasSubstr("not a condition"));
  EXPECT_THAT(refusal("step_time < 5"), HasSubstr("^"));
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
  EXPECT_THAT(least_infeasible(table, 9), ElementsAre(3, 2, 4));
  EXPECT_THAT(least_infeasible(table, 2), ElementsAre(3, 2));
}

}  // namespace
}  // namespace echo::query
