#include "learn/evaluate/nested.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "learn/candidates/baselines.hpp"
#include "learn/fit/booster.hpp"
#include "tests/support/learn_examples.hpp"
#include "tests/support/sanitized.hpp"

using namespace echo;
using namespace echo::learn;
using echo::testing::metric_examples;

static const CandidateReport& of(const NestedReport& report, const std::string& name) {
  return *std::find_if(report.candidates.begin(), report.candidates.end(),
                       [&](const CandidateReport& candidate) { return candidate.name == name; });
}

// Few and fast: the whole table is judged on the real one. Trees are missing where xgboost is.
static std::vector<Candidate> quick_table(const Examples& examples) {
  return echo::testing::candidates_named(examples, {"no_slowdown", "median_by_kernel_name", "families",
                                                    is_built_with_xgboost() ? "trees" : "mlp"});
}

// A candidate that remembers the rows it was trained on, and notes when it is asked about one of them.
struct Spy {
  std::int32_t* asked_of_seen;
  std::int32_t* asked;
  std::vector<Fitted> operator()(const Examples& examples, Rows rows, std::uint64_t) const {
    std::set<double> seen;  // times alone are all different
    for (const std::int32_t row : rows) seen.insert(examples.rows[row].row.alone);
    return {{.slowdown = [seen, count = asked_of_seen, all = asked](const Example& example) {
      ++*all;
      *count += seen.contains(example.row.alone) ? 1 : 0;
      return 0.0;
    }}};
  }
};

TEST(Nested, NeverAsksAboutARowThatTrainedOrChose) {
  const Examples examples = metric_examples(60, 6, 1, echo::testing::by_dram);
  for (const Grouping grouping : {Grouping::row, Grouping::kernel, Grouping::shape}) {
    std::int32_t asked_of_seen = 0, asked = 0;
    const std::vector<Candidate> table{
        no_slowdown(), {.name = "spy", .what = "", .settings = {""}, .fit = Spy{&asked_of_seen, &asked}}};
    const NestedReport report =
        evaluate_nested(table, examples, {.grouping = grouping, .folds = 4, .repeats = 1});
    EXPECT_EQ(asked_of_seen, 0);
    EXPECT_GE(asked, 60 * 4) << "each row once outside, and in the inner folds of three others";
    EXPECT_EQ(report.chosen.all.rows, 60);
  }
}

TEST(Nested, OnPureNoiseDoesNotBeatNoSlowdown) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Examples examples = metric_examples(120, 5, seed, echo::testing::by_nothing, 0.2);
    const NestedReport report =
        evaluate_nested(quick_table(examples), examples, {.seed = seed, .repeats = 1});
    EXPECT_GE(report.chosen.all.mean, 0.99 * of(report, "no_slowdown").all.mean) << "seed " << seed;
    EXPECT_GT(of(report, "no_slowdown").all.mean, 0.05);
  }
}

TEST(Nested, FindsWhatDependsOnTheNameAndSaysSo) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  const Examples examples = metric_examples(150, 5, 2, echo::testing::by_name, 0.02);
  const NestedReport report = evaluate_nested(quick_table(examples), examples, {.repeats = 1});
  EXPECT_LT(report.chosen.all.mean, 0.02);
  EXPECT_TRUE(std::all_of(report.chosen.chosen.begin(), report.chosen.chosen.end(),
                          [](const std::string& chosen) { return chosen.starts_with("families"); }));
}

TEST(Nested, KeepsToNoSlowdownWhereTheNameIsAllAndKernelsAreNew) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  const Examples examples = metric_examples(150, 5, 2, echo::testing::by_name, 0.02);
  const NestedReport report =
      evaluate_nested(quick_table(examples), examples, {.grouping = Grouping::kernel, .repeats = 1});
  EXPECT_LE(report.chosen.all.mean, of(report, "no_slowdown").all.mean * 1.02);
  EXPECT_FALSE(report.beats_baselines && report.chosen.all.mean >= of(report, "no_slowdown").all.mean);
}

TEST(Nested, LearnsFromMetricsWhatHoldsForKernelsNeverSeen) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  const Examples examples = metric_examples(300, 12, 3, echo::testing::by_dram);
  const NestedReport report =
      evaluate_nested(quick_table(examples), examples, {.grouping = Grouping::kernel, .repeats = 1});
  EXPECT_LT(report.chosen.all.mean, 0.5 * of(report, "no_slowdown").all.mean);
  EXPECT_TRUE(report.beats_baselines);
}

TEST(Nested, GivesTheSameReportTwice) {
  const Examples examples =
      metric_examples(support::is_sanitized ? 30 : 80, 5, 4, echo::testing::by_dram, 0.1);
  const auto table = quick_table(examples);
  const auto evaluate = [&] {
    return evaluate_nested(table, examples, {.folds = 3, .repeats = support::is_sanitized ? 1 : 3});
  };
  const NestedReport first = evaluate(), second = evaluate();
  EXPECT_EQ(first.chosen.all.mean, second.chosen.all.mean);
  EXPECT_EQ(first.chosen.chosen, second.chosen.chosen);
  EXPECT_EQ(first.fold, second.fold);
}

TEST(Nested, RefusesWhatCannotBeHeldOut) {
  EXPECT_THROW(
      static_cast<void>(evaluate_nested(quick_table({}), metric_examples(40, 2, 1, echo::testing::by_dram),
                                        {.grouping = Grouping::kernel, .repeats = 1})),
      UserError);
  Examples idle = metric_examples(40, 4, 1, echo::testing::by_dram);
  for (Example& example : idle.rows) example.row.overlap_ratio = 0.0;
  EXPECT_THROW(static_cast<void>(evaluate_nested(quick_table(idle), idle, {})), UserError);
}

// Asking about each row three times makes nothing surer than the rows are.
TEST(BestSettings, DoubtDoesNotShrinkWithRepeats) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  const Examples examples = metric_examples(200, 5, 6, echo::testing::by_name, 0.3);
  const auto table = echo::testing::candidates_named(examples, {"no_slowdown", "families"});
  const auto rows = echo::testing::all_rows(examples);
  for (const Grouping grouping : {Grouping::row, Grouping::shape}) {
    const Choice once = best_settings(table, examples, rows, {.grouping = grouping, .repeats = 1}).back();
    const Choice often = best_settings(table, examples, rows, {.grouping = grouping, .repeats = 9}).back();
    EXPECT_NEAR(often.doubt, once.doubt, 0.15 * once.doubt);
    EXPECT_NEAR(often.mean, once.mean, 0.15 * once.mean);
  }
}

// The doubt by a slower road: the spread of the advantage over many draws of groups with replacement.
TEST(Compared, DoubtIsThatOfDrawingGroupsAgain) {
  constexpr std::int32_t groups = 40, rows_each = 5;
  std::vector<double> errors, without;
  std::vector<std::int32_t> group;
  for (std::int32_t g = 0; g < groups; ++g)
    for (std::int32_t i = 0; i < rows_each; ++i) {
      group.push_back(g);
      without.push_back(0.3);
      errors.push_back(0.2 + 0.1 * draw_unit(1, 0, g) + 0.01 * draw_unit(1, 1, group.size()));
    }
  const Choice found = compared(errors, without, group);
  double sum = 0.0, squares = 0.0;
  constexpr std::int32_t draws = 4000;
  for (std::int32_t repeat = 0; repeat < draws; ++repeat) {
    double advantage = 0.0;
    for (std::int32_t g = 0; g < groups; ++g) {
      const auto from = static_cast<std::int32_t>(draw(2, repeat, g) % groups);
      for (std::int32_t i = 0; i < rows_each; ++i)
        advantage += (0.3 - errors[from * rows_each + i]) / (groups * rows_each);
    }
    sum += advantage;
    squares += advantage * advantage;
  }
  const double mean = sum / draws;
  EXPECT_NEAR(found.advantage, mean, 1e-3);
  EXPECT_NEAR(found.doubt, std::sqrt(squares / draws - mean * mean), 0.05 * found.doubt);
}
