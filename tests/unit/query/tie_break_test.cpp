#include "query/rank/tie_break.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/rank/luck.hpp"
#include "query/rank/ties.hpp"
#include "query/text/practice_text.hpp"
#include "tests/support/error_tables.hpp"

namespace echo::query {
namespace {

using results::ErrorRow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RankQuery by_step(std::int64_t count) {
  return {.by = {"step_time", sweep::Goal::min}, .count = count, .per = "", .where = ""};
}

struct Row {
  double step;
  std::int64_t untried;
  double error = 0.02;
};

// Rows whose errors are their own.
results::Table table_of(const std::vector<Row>& rows) {
  std::vector<ErrorRow> errors;
  std::vector<std::int64_t> untried;
  for (const Row& row : rows) {
    ErrorRow& one = errors.emplace_back();
    one.step = row.step, one.layout = std::ssize(errors);
    one.error.step[results::index_of(ErrorSource::layout)] = row.error;
    untried.push_back(row.untried);
  }
  return table_with_errors(errors, true, 1.0, untried);
}

struct Broken {
  std::vector<RankedGroup> groups;
  std::vector<TieBreak> entries;
};

Broken broken(const results::Table& table, std::int64_t count = 10) {
  Broken out{ranked(table, by_step(count)), {}};
  out.entries = break_ties(table, by_step(count), out.groups);
  return out;
}

TEST(TieBreak, MovesTheTiedRowWithTheFewestUntriedChoicesToTheFront) {
  const Broken found = broken(table_of({{1.00, 128 | 256}, {1.01, 128}, {1.02, 0}, {1.021, 0}, {2.0, 0}}));
  EXPECT_TRUE(found.entries[0].is_moved);
  EXPECT_THAT(found.groups[0].rows, ElementsAre(2, 0, 1, 3, 4));
  EXPECT_THAT(found.groups[0].values, ElementsAre(1.02, 1.00, 1.01, 1.021, 2.0));
  EXPECT_NEAR(found.entries[0].gap, 0.02, 1e-9);
  EXPECT_EQ(found.entries[0].best, 0);
  EXPECT_EQ(found.entries[0].best_untried, 2);
}

TEST(TieBreak, LeavesARowThatIsSurelySlowerWhereItIs) {
  const Broken found = broken(table_of({{1.00, 128}, {1.2, 0}}));
  EXPECT_FALSE(found.entries[0].is_moved);
  EXPECT_THAT(found.groups[0].rows, ElementsAre(0, 1));
}

TEST(TieBreak, LeavesARowThatTiesOnlyBecauseLessIsKnownOfIt) {
  EXPECT_FALSE(broken(table_of({{1.00, 128}, {1.2, 0, 0.3}})).entries[0].is_moved);
  EXPECT_TRUE(broken(table_of({{1.00, 128}, {1.01, 0, 0.0219}})).entries[0].is_moved);
  EXPECT_FALSE(broken(table_of({{1.00, 128}, {1.01, 0, 0.0221}})).entries[0].is_moved);
}

TEST(TieBreak, LeavesARowThatTiesOnlyBecauseLessIsKnownOfTheBest) {
  EXPECT_FALSE(broken(table_of({{1.00, 128, 0.3}, {1.1, 0}})).entries[0].is_moved);
  EXPECT_TRUE(broken(table_of({{1.00, 128, 0.3}, {1.01, 0}})).entries[0].is_moved);
}

TEST(TieBreak, PrefersTheRowOfWhichMoreIsKnown) {
  const auto table = table_of({{1.00, 128, 0.3}, {1.01, 128, 0.2}, {1.015, 128}, {1.5, 128, 0.01}});
  const Broken found = broken(table);
  EXPECT_THAT(found.groups[0].rows, ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(text_of(found.entries[0], found.groups[0], table), HasSubstr("more is known of it"));
  EXPECT_FALSE(broken(table_of({{1.00, 128, 0.021}, {1.0001, 128, 0.02}})).entries[0].is_moved);
}

TEST(TieBreak, LeavesTheBestWhereNoOtherWasExercisedMore) {
  EXPECT_FALSE(broken(table_of({{1.00, 128}, {1.001, 256}, {1.002, 128 | 256}})).entries[0].is_moved);
}

TEST(TieBreak, BringsInARowThatWasNotShown) {
  const Broken found = broken(table_of({{1.00, 128}, {1.001, 128}, {1.002, 128}, {1.003, 0}}), 2);
  EXPECT_THAT(found.groups[0].rows, ElementsAre(3, 0));
}

TEST(TieBreak, IsSilentForFilesWithoutTheColumn) {
  std::vector<ErrorRow> rows(2);
  rows[0].error.step.fill(0.1), rows[1].error.step.fill(0.1);
  EXPECT_FALSE(broken(results::table_with_errors(rows)).entries[0].is_moved);
}

TEST(TieBreak, TheLuckOfTheRowMovedIsThatAmongItsEquals) {
  std::vector<Row> rows(100, {1.0, 128});
  rows.push_back({1.001, 0}), rows.push_back({1.5, 0});
  const results::Table table = table_of(rows);
  Broken found = broken(table);
  ASSERT_TRUE(found.entries[0].is_moved);
  const Luck moved = luck_of(table, by_step(10), found.groups).front(),
             kept = luck_of(table, by_step(10), ranked(table, by_step(10))).front();
  EXPECT_NEAR(moved.share, 0.0, 0.005);  // nothing else of its kind is near
  EXPECT_NEAR(moved.step, 1.001, 1e-12);
  EXPECT_GT(kept.share, 0.03);
}

TEST(PracticeText, NamesUntriedChoicesOfARowAndOfAll) {
  const results::Table table = table_of({{1.0, 0}, {2.0, 128 | 256}});
  EXPECT_EQ(untried_text(table, 0), "");
  EXPECT_EQ(untried_text(table, 1), "vpp 1, micro_batch 1");
  EXPECT_EQ(untried_text(table, 1, 128), "micro_batch 1");
  EXPECT_THAT(untried_text(table), HasSubstr("vpp (1 of 2 rows), micro_batch (1 of 2 rows)"));
}

TEST(PracticeText, SaysWhereARowClaimsMoreThanAnyPublishedRun) {
  const results::Table table = table_of({{1.0, 0}});  // its MFU is 50 %, the best published one 40 %
  EXPECT_THAT(claim_text(table, 0), HasSubstr("#1 claims 50.0 % MFU"));
  EXPECT_THAT(claim_text(table, 0), HasSubstr("40.0 %"));
}

}  // namespace
}  // namespace echo::query
