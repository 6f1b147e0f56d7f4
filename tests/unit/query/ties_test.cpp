// Which rows tie with the first: against every row asked by itself.
#include "query/rank/ties.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "results/rank/contest.hpp"
#include "results/rank/robust_front.hpp"
#include "tests/support/error_tables.hpp"

namespace echo::query {
namespace {

using results::ErrorRow;
using results::table_with_errors;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const sweep::Objective fastest{"step_time", sweep::Goal::min};

std::vector<ErrorRow> random_rows(std::uint64_t seed) {
  std::vector<ErrorRow> rows(3 + draw(seed, 0, 0) % 40);
  for (std::uint64_t i = 0; i < rows.size(); ++i)
    rows[i] = {.step = 1.0 + 0.2 * draw_unit(seed, i, 1),
               .gpus = static_cast<std::int64_t>(8 << draw(seed, i, 2) % 2),
               .memory = 1e9 * (1.0 + draw_unit(seed, i, 3)),
               .error = results::random_error(seed, i, 0.06),
               .is_feasible = draw(seed, i, 4) % 5 != 0};
  return rows;
}

TEST(Ties, CountEveryRowThatTheFirstDoesNotSurelyBeat) {
  std::int64_t seen = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<ErrorRow> rows = random_rows(seed);
    if (seed % 4 == 3) results::tell_of_runs(rows, 1 + seed % 5);
    const results::Table table = table_with_errors(rows);
    const RankQuery query{.by = fastest, .count = 3, .per = seed % 2 == 0 ? "" : "gpus", .where = ""};
    const auto groups = ranked(table, query);
    const auto ties = ties_of(table, query, groups);
    ASSERT_EQ(ties.size(), groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].rows.empty()) continue;
      const ErrorRow& first = rows[static_cast<std::size_t>(groups[g].rows[0])];
      const auto chance = [&](const ErrorRow& row) {
        return results::normal_cdf(std::log(row.step / first.step) /
                                   std::sqrt(step_variance(first.error, row.error)));
      };
      std::int64_t tied = -1;  // without the first itself
      for (const ErrorRow& row : rows)
        if (row.is_feasible && (query.per.empty() || row.gpus == first.gpus))
          tied += chance(row) < results::sure;
      EXPECT_EQ(ties[g].tied, tied) << "seed " << seed;
      for (std::size_t i = 1; i < groups[g].rows.size(); ++i)
        EXPECT_NEAR(ties[g].chance[i], chance(rows[static_cast<std::size_t>(groups[g].rows[i])]), 1e-12);
      seen += tied;
    }
  }
  EXPECT_GT(seen, 100);
}

std::string told(const std::vector<ErrorRow>& rows, const std::string& by = "step_time",
                 std::int64_t count = 3, bool with_errors = true) {
  const results::Table table = table_with_errors(rows, with_errors);
  const RankQuery query{.by = {by, sweep::Goal::min}, .count = count, .per = "", .where = ""};
  const auto groups = ranked(table, query);
  return text_of(ties_of(table, query, groups)[0], groups[0], query);
}

std::vector<ErrorRow> steps(std::initializer_list<double> all, double layout) {
  std::vector<ErrorRow> rows;
  for (const double step : all) {
    rows.push_back({.step = step});
    rows.back().error.step[results::index_of(ErrorSource::layout)] = layout;
    rows.back().error.step[results::index_of(ErrorSource::scale_out)] = 0.2;  // which they share
  }
  return rows;
}

TEST(Ties, AreNamedWithHowFarTheSecondIsBehind) {
  // The difference of two has a deviation of 1.41 %, its 80 % band is 1.81 % wide on each side.
  const std::string text = told(steps({1.0, 1.01, 1.05, 1.012}, 0.01), "step_time", 2);
  EXPECT_THAT(text, HasSubstr("ties: #1-#2 and 1 more of 4 rows cannot be distinguished ("));
  EXPECT_THAT(
      text,
      HasSubstr("#2 is 1.00 % behind #1; their difference is known to +-1.81 % (80 % band); the uncertainty "
                "comes entirely from the layout term"));
}

TEST(Ties, AreNoneWhereTheFirstSurelyWins) {
  EXPECT_THAT(told(steps({1.0, 1.05, 1.1}, 0.01)), HasSubstr("ties: none ("));
}

TEST(Ties, OfAMetricWithoutErrorAreEqualRows) {
  std::vector<ErrorRow> rows = steps({1.0, 1.1, 1.2}, 0.01);
  EXPECT_EQ(told(rows, "gpus"), "ties: #1-#3 are equal in gpus\n");
  rows[0].gpus = 4;
  EXPECT_EQ(told(rows, "gpus"), "");
}

TEST(Ties, AreNotClaimedWithoutErrors) {
  EXPECT_THAT(told(steps({1.0, 1.0}, 0.01), "step_time", 3, false), HasSubstr("not determined"));
}

TEST(Ties, NeedNotFollowEachOther) {
  std::vector<ErrorRow> rows = steps({1.0, 1.03, 1.04}, 0.001);
  rows[2].error.owner[1] = 5;  // of another cluster: nothing of the network's error cancels
  EXPECT_THAT(told(rows), HasSubstr("ties: #1, #3 cannot be distinguished"));
}

}  // namespace
}  // namespace echo::query
