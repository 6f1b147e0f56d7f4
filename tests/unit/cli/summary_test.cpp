#include "cli/terminal/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_results.hpp"

namespace echo::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double gib = 1073741824.0;
const SummaryFacts facts{
    .file = "sweep.h5", .rows_digest = "00ff", .seconds = 2.0, .simulated = 400, .workers = 2};

TEST(Summary, ShowsSpeedBestRowsAndDigest) {
  const auto table = tiny_results({{.id = 0xabcdef0123456789, .step = 2.0},
                                   {.id = 0x1111111122222222, .step = 1.0},
                                   {.id = 3, .status = 1, .reason = 1, .margin = 2 * gib}});
  const std::string text = summary_text(table, facts);
  EXPECT_THAT(
      text,
      HasSubstr(
          "done  400 points in 2.0 s on 2 workers (200 pt/s, 100 per worker), 0 timelines/s per worker"));
  EXPECT_THAT(text, HasSubstr("2 feasible · 1 infeasible"));
  EXPECT_THAT(text, HasSubstr("best of gpt-a by step_time"));
  EXPECT_LT(text.find("11111111"), text.find("abcdef01"));
  EXPECT_THAT(text, HasSubstr("why #1 beats #2"));
  EXPECT_THAT(text, HasSubstr("infeasible: memory 1 (median short by 2.0 GiB)"));
  EXPECT_THAT(text, HasSubstr("\nrows_digest 00ff\nfile sweep.h5\n"));
}

TEST(Summary, WithoutAFeasiblePointShowsTheThreeNearest) {
  std::vector<TinyRow> rows;
  for (int i = 1; i <= 5; ++i) rows.push_back({.status = 1, .reason = 1, .margin = (6 - i) * gib});
  const auto table = tiny_results(rows);
  const std::string text = summary_text(table, facts);
  EXPECT_THAT(text, HasSubstr("no feasible point"));
  EXPECT_THAT(text, HasSubstr("short of 1.0 GiB"));
  EXPECT_THAT(text, HasSubstr("short of 3.0 GiB"));
  EXPECT_THAT(text, Not(HasSubstr("short of 4.0 GiB")));
}

TEST(Summary, NamesLimitsAndHowFarPastThemPointsAre) {
  const auto table = tiny_results({{},
                                   {.status = 1, .reason = 2, .limit = 1, .excess = 0.25},
                                   {.status = 1, .reason = 2, .limit = 2, .excess = 0.5},
                                   {.status = 1, .reason = 2, .limit = 2, .excess = 0.1}});
  EXPECT_THAT(summary_text(table, facts), HasSubstr("infeasible: limit cheap 2 (median 30.0 % beyond it), "
                                                    "limit deadline 1 (median 25.0 % beyond it)"));
}

TEST(Summary, RanksByTheSweepsFirstObjective) {
  results::FileState state;
  state.objectives = {{"mfu", sweep::Goal::max}};
  const auto table =
      tiny_results({{.id = 0xaaaaaaaa00000000, .step = 1.0}, {.id = 0xbbbbbbbb00000000, .step = 2.0}},
                   state);  // mfu = 0.5 / step
  const std::string text = summary_text(table, facts);
  EXPECT_THAT(text, HasSubstr("best of gpt-a by mfu"));
  EXPECT_LT(text.find("aaaaaaaa"), text.find("bbbbbbbb"));
  EXPECT_THAT(text, HasSubstr("Pareto front (mfu x step_time): 1 point"));
}

TEST(Summary, NamesTheBiggestLeversAndTheFront) {
  const auto table = tiny_results({{.gpus = 8, .tp = 1, .step = 4.0},
                                   {.gpus = 8, .tp = 2, .step = 4.0},
                                   {.gpus = 16, .tp = 1, .step = 1.0},
                                   {.gpus = 16, .tp = 2, .step = 1.0}});
  const std::string text = summary_text(table, facts);
  EXPECT_THAT(text, HasSubstr("feasible points): gpus 100 %, tp 0 %"));
  EXPECT_THAT(text, HasSubstr("Pareto front (step_time x gpus): 2 points"));
}

TEST(Summary, TellsWhatFailed) {
  const auto table = tiny_results({{}, {.status = 2, .reason = 4}}, {},
                                  {{7, 0, "a"}, {8, 0, "b"}, {9, 0, "c"}, {10, 0, "d"}});
  const std::string text = summary_text(table, facts);
  EXPECT_THAT(text, HasSubstr("1 failed (rerun: --retry-failed)"));
  EXPECT_THAT(text, HasSubstr("failed: point 7: a\n"));
  EXPECT_THAT(text, HasSubstr("and 1 more in /failures"));
  EXPECT_THAT(text, Not(HasSubstr("point 10")));
}

}  // namespace
}  // namespace echo::cli
