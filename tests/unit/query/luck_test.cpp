#include "query/rank/luck.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/error_tables.hpp"

namespace echo::query {
namespace {

using results::ErrorRow;
using results::table_with_errors;

const RankQuery by_step{.by = {"step_time", sweep::Goal::min}, .count = 3, .per = "", .where = ""};

// Rows of equal step time whose errors are their layout's own, or shared by all.
std::vector<ErrorRow> equal_rows(int count, double own, double shared, bool one_layout = false) {
  std::vector<ErrorRow> rows(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    row.layout = one_layout ? 1 : i + 1;
    row.error.step[results::index_of(ErrorSource::layout)] = own;
    row.error.step[results::index_of(ErrorSource::framework)] = shared;
  }
  return rows;
}

Luck luck(const std::vector<ErrorRow>& rows, bool with_errors = true) {
  const results::Table table = table_with_errors(rows, with_errors);
  return luck_of(table, by_step, ranked(table, by_step)).front();
}

TEST(Luck, OfManyEqualRowsIsTheExpectedExtremeOfTheirErrors) {
  // The expected maximum of n standard normal draws: 0.564 of 2, 1.539 of 10, 2.508 of 100.
  for (const auto& [count, extreme] : {std::pair(2, 0.564), std::pair(10, 1.539), std::pair(100, 2.508)})
    EXPECT_NEAR(std::log1p(luck(equal_rows(count, 0.02, 0.0)).share), 0.02 * extreme, 0.02 * 0.25) << count;
}

TEST(Luck, ErrorsThatAllRowsShareGiveNone) {
  EXPECT_NEAR(luck(equal_rows(50, 0.0, 0.1)).share, 0.0, 0.02);
  EXPECT_LT(luck(equal_rows(50, 0.02, 0.1)).share, luck(equal_rows(50, 0.1, 0.02)).share);
}

TEST(Luck, RowsOfOneLayoutAreOneContender) {
  const Luck twins = luck(equal_rows(50, 0.02, 0.0, true));
  EXPECT_EQ(twins.layouts, 1);
  EXPECT_NEAR(twins.share, 0.0, 0.005);
}

TEST(Luck, OfARowThatIsWellKnownIsThatAmongRowsKnownAsWell) {
  // Fifty rows whose errors are 15 times as great, and common to them, win half of the draws.
  std::vector<ErrorRow> rows = equal_rows(10, 0.02, 0.0), others = equal_rows(50, 0.02, 0.3);
  const double alone = luck(rows).share;
  for (ErrorRow& row : others) row.step = 1.0001, row.layout += 100;
  rows.insert(rows.end(), others.begin(), others.end());
  EXPECT_NEAR(luck(rows).share, alone, 0.01);
  std::rotate(rows.begin(), rows.begin() + 10, rows.end());
  rows.front().step = 0.9999;  // now one of the others is first
  EXPECT_GT(luck(rows).share, 0.1);
}

TEST(Luck, TheNearestRowsBehindTheFirstCompete) {
  std::vector<ErrorRow> rows = equal_rows(5000, 0.02, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].step = 1.0 + 1e-5 * static_cast<double>(5000 - i);
  const results::Table table = table_with_errors(rows);
  std::vector<RankedGroup> groups = ranked(table, by_step);
  EXPECT_EQ(luck_of(table, by_step, groups).front().layouts, 2000);
  groups.front().rows.front() = 39, groups.front().values.front() = rows[39].step;
  EXPECT_EQ(luck_of(table, by_step, groups).front().layouts, 40);
}

TEST(Luck, ALeadBeyondTheErrorsIsNone) {
  std::vector<ErrorRow> rows = equal_rows(20, 0.01, 0.0);
  for (std::size_t i = 1; i < rows.size(); ++i) rows[i].step = 2.0;
  EXPECT_LT(luck(rows).share, 0.002);
}

TEST(Luck, OfARowThatWasMeasuredIsAtMostWhatItsRunLeavesOpen) {
  std::vector<ErrorRow> rows = equal_rows(3, 0.05, 0.05);
  results::tell_of_runs(rows, 1);
  rows.front().step = 0.999;  // first, and measured
  EXPECT_LT(luck(rows).share, 0.03);
  EXPECT_GT(luck(rows).share, 0.0);
  std::swap(rows[0].step, rows[1].step);  // now one that was not
  EXPECT_GT(luck(rows).share, 0.03);
}

TEST(Luck, WithoutErrorsNothingIsSaid) { EXPECT_EQ(luck(equal_rows(20, 0.02, 0.0), false).share, 0.0); }

}  // namespace
}  // namespace echo::query
