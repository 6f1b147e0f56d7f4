// Rows that may not fit: kept out of rankings, and listed apart.
#include "query/rank/doubtful.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/rank/pareto.hpp"
#include "tests/support/tiny_results.hpp"

namespace echo::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const sweep::Objective fastest{"step_time", sweep::Goal::min};

RankQuery all_rows() { return {.by = fastest, .count = 10, .per = "", .where = ""}; }

results::Table table(double least, const std::vector<TinyRow>& rows) {
  results::FileState state;
  state.min_fit_chance = least;
  return tiny_results(rows, state);
}

const std::vector<TinyRow> rows{{.id = 1, .step = 1.0, .fit = 0.4},
                                {.id = 2, .step = 2.0, .fit = 0.95},
                                {.id = 3, .step = 3.0, .fit = 0.5},
                                {.id = 4, .step = 4.0, .fit = 0.99}};

TEST(Doubtful, RankingsHoldRowsThatSurelyEnoughFit) {
  EXPECT_THAT(ranked(table(0.9, rows), all_rows()).front().rows, ElementsAre(1, 3));
  RankQuery doubtful = all_rows();
  doubtful.which = Ranked::doubtful;
  EXPECT_THAT(ranked(table(0.9, rows), doubtful).front().rows, ElementsAre(0, 2));
  EXPECT_THAT(ranked(table(0.0, rows), all_rows()).front().rows, ElementsAre(0, 1, 2, 3));
}

TEST(Doubtful, ARowWithoutAKnownChanceIsRanked) {  // a replayed trace has no memory
  const auto traced = table(0.9, {{.id = 1, .step = 1.0}, {.id = 2, .step = 2.0, .fit = 0.1}});
  EXPECT_THAT(ranked(traced, all_rows()).front().rows, ElementsAre(0));
}

TEST(Doubtful, FrontsHoldRankedRowsOnly) {
  const auto front = results::pareto_front(table(0.9, rows), fastest, {"mem_peak", sweep::Goal::min});
  ASSERT_EQ(front.size(), 1u);
  EXPECT_EQ(front[0].row, 1);
}

TEST(Doubtful, ListsWhatWouldRankFirstAndWhatItWouldGain) {
  const auto file = table(0.9, rows);
  const std::string text = doubtful_text(file, all_rows(), ranked(file, all_rows()));
  EXPECT_THAT(text, HasSubstr("not ranked: 1 row better than #1"));  // the row of 3 s is slower than #1
  EXPECT_THAT(text, HasSubstr("40.0 %"));
  EXPECT_THAT(text, HasSubstr("50.0 %"));  // 1 s instead of 2 s
}

TEST(Doubtful, NamesTheAxesThatTellRowsOfOneLayoutApart) {
  results::FileState state;
  state.min_fit_chance = 0.9, state.axes = {"gpus", "tp"};
  const auto file = tiny_results({{.id = 1, .gpus = 8, .step = 1.0, .fit = 0.4},
                                  {.id = 2, .gpus = 16, .step = 1.1, .fit = 0.4},
                                  {.id = 3, .gpus = 8, .step = 2.0, .fit = 0.95}},
                                 state);
  const std::string text = doubtful_text(file, all_rows(), ranked(file, all_rows()));
  EXPECT_THAT(text, HasSubstr(" gpus=8 "));
  EXPECT_THAT(text, HasSubstr(" gpus=16 "));
}

TEST(Doubtful, WithoutASureRowListsTheBestDoubtfulOnes) {
  const auto file = table(0.9, {{.id = 1, .step = 1.0, .fit = 0.4}});
  const std::string text = doubtful_text(file, all_rows(), ranked(file, all_rows()));
  EXPECT_THAT(text, HasSubstr("not ranked: 1 row"));
  EXPECT_THAT(text, Not(HasSubstr("better than #1")));
}

TEST(Doubtful, IsSilentForFilesWithoutChances) {
  const auto old = table(0.9, {{.id = 1, .step = 1.0}, {.id = 2, .step = 2.0}});
  EXPECT_EQ(doubtful_text(old, all_rows(), ranked(old, all_rows())), "");
}

}  // namespace
}  // namespace echo::query
