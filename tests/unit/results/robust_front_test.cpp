// The front with its ties and unproven points, against the comparison of every pair.
#include "results/rank/robust_front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "results/rank/contest.hpp"
#include "tests/support/error_tables.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::results {
namespace {

using sweep::Goal;
using sweep::Objective;

struct Found {
  Standing standing;
  std::int64_t rival;
  double chance;  // -1: none
  bool operator==(const Found&) const = default;
};
using Front = std::map<std::int64_t, Found>;  // by row

Front front_of(const Table& table, const Objective& first, const Objective& second) {
  Front front;
  for (const FrontPoint& point : robust_front(table, first, second))
    front[point.row] = {point.standing, point.rival, point.rival < 0 ? -1.0 : point.rival_chance};
  return front;
}

// Every row against every other, in the order of the file.
Front slow_front(const Table& table, const std::vector<ErrorRow>& rows, const Objective& first,
                 const Objective& second) {
  const std::array<Aspect, 2> aspects{aspect_of(table, first), aspect_of(table, second)};
  std::vector<Contender> all;
  for (std::int64_t row = 0; row < table.rows(); ++row)
    if (rows[static_cast<std::size_t>(row)].is_feasible)
      all.push_back({row,
                     {aspects[0].cost_of(table.number(first.metric, row)),
                      aspects[1].cost_of(table.number(second.metric, row))},
                     rows[static_cast<std::size_t>(row)].error});
  const auto is_beaten = [&](const Contender& b) {
    return std::ranges::any_of(all, [&](const Contender& a) {
      const bool no_worse = a.cost[0] <= b.cost[0] && a.cost[1] <= b.cost[1];
      return no_worse && (a.cost != b.cost || a.row < b.row);
    });
  };
  Front front;
  for (const Contender& b : all) {
    const bool is_off = is_beaten(b);
    bool is_surely_beaten = false;
    Found found{is_off ? Standing::unproven : Standing::robust, -1, -1.0};
    for (const Contender& a : all) {
      if (a.row == b.row) continue;
      const double chance = chance_to_beat(aspects, a, b);
      is_surely_beaten = is_surely_beaten || chance >= sure;
      if (chance < 1.0 - sure || chance <= found.chance || (is_off && is_beaten(a))) continue;
      found = {is_off ? Standing::unproven : Standing::tie, a.row, chance};
    }
    if (!is_off || !is_surely_beaten) front[b.row] = found;
  }
  return front;
}

std::vector<ErrorRow> random_rows(std::uint64_t seed) {
  const std::uint64_t count = draw(seed, 1, 1) % 150;
  const double spread = std::array{0.02, 0.3, 3.0}[seed % 3];
  const double scale = std::array{0.0, 0.005, 0.05, 0.3}[draw(seed, 1, 2) % 4];
  std::vector<ErrorRow> rows(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    rows[i] = {
        .step = 1.0 + spread * std::round(20.0 * draw_unit(seed, i, 3)) / 20.0,  // equal values are common
        .gpus = static_cast<std::int64_t>(1 + draw(seed, i, 4) % 6),
        .memory = 1e9 * (1.0 + spread * draw_unit(seed, i, 5)),
        .error = random_error(seed, i, scale),
        .is_feasible = draw(seed, i, 6) % 6 != 0};
    if (seed % 2 == 0) rows[i].error.step[index_of(ErrorSource::layout)] = 0.0;
    if (i > 0 && draw(seed, i, 7) % 4 == 0) rows[i].error = rows[i - 1].error;
  }
  return rows;
}

const std::vector<std::pair<Objective, Objective>> choices{
    {{"step_time", Goal::min}, {"gpus", Goal::min}},
    {{"gpus", Goal::min}, {"tokens_per_s", Goal::max}},
    {{"step_time", Goal::min}, {"mem_peak", Goal::min}},
    {{"tokens_per_s", Goal::max}, {"step_time", Goal::min}},
    {{"mem_peak", Goal::min}, {"gpus", Goal::max}},
    {{"step_time", Goal::max}, {"tokens_per_s", Goal::max}}};

TEST(RobustFront, EqualsTheComparisonOfEveryPair) {
  std::map<Standing, int> seen;
  for (std::uint64_t seed = 0; seed < support::trials(400U); ++seed) {
    std::vector<ErrorRow> rows = random_rows(seed);
    if (seed % 5 == 4) tell_of_runs(rows, 1 + seed % 7);
    const Table table = table_with_errors(rows);
    const auto& [first, second] = choices[seed % choices.size()];
    const Front front = front_of(table, first, second);
    EXPECT_EQ(front, slow_front(table, rows, first, second)) << "seed " << seed;
    for (const auto& [row, found] : front) ++seen[found.standing];
  }
  for (const Standing standing : {Standing::robust, Standing::tie, Standing::unproven})
    EXPECT_GT(seen[standing], support::trials(100)) << standing_names[static_cast<std::size_t>(standing)];
}

TEST(RobustFront, BeginsWithTheFrontAsPredicted) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Table table = table_with_errors(random_rows(seed));
    const auto& [first, second] = choices[seed % choices.size()];
    const auto predicted = pareto_front(table, first, second);
    const auto points = robust_front(table, first, second);
    ASSERT_GE(points.size(), predicted.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].standing == Standing::unproven, i >= predicted.size());
      if (i < predicted.size()) {
        EXPECT_EQ(points[i].row, predicted[i].row);
      }
      EXPECT_EQ(points[i].first, table.number(first.metric, points[i].row));
    }
    EXPECT_TRUE(
        std::ranges::is_sorted(points.begin() + static_cast<std::ptrdiff_t>(predicted.size()), points.end(),
                               {}, [&, sign = first.goal == Goal::min ? 1.0 : -1.0](const FrontPoint& point) {
                                 return sign * point.first;
                               }));
  }
}

TEST(RobustFront, IsThePredictedOneWhereNothingIsLeftToChance) {
  std::vector<ErrorRow> rows = random_rows(1);
  for (ErrorRow& row : rows) row.error = {};
  for (const FrontPoint& point :
       robust_front(table_with_errors(rows), {"step_time", Goal::min}, {"gpus", Goal::min}))
    EXPECT_EQ(point.standing, Standing::robust);
}

TEST(RobustFront, OfAFileWithoutErrorsIsUnjudged) {
  const std::vector<ErrorRow> rows = random_rows(2);
  const auto points =
      robust_front(table_with_errors(rows, false), {"step_time", Goal::min}, {"gpus", Goal::min});
  ASSERT_FALSE(points.empty());
  EXPECT_EQ(count_of(points, Standing::unjudged), std::ssize(points));
}

// On one cluster the error of the network is no reason to keep a slower layout; on two it is.
TEST(RobustFront, KeepsWhatOnlyAnUnsharedErrorLeavesOpen) {
  std::vector<ErrorRow> rows{{.step = 1.0}, {.step = 1.05}};
  for (ErrorRow& row : rows) row.error.step[index_of(ErrorSource::scale_out)] = 0.1;
  EXPECT_EQ(robust_front(table_with_errors(rows), {"step_time", Goal::min}, {"gpus", Goal::min}).size(), 1U);
  rows[1].error.owner[1] = 1;
  const auto points = robust_front(table_with_errors(rows), {"step_time", Goal::min}, {"gpus", Goal::min});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].standing, Standing::tie);
  EXPECT_EQ(points[1].standing, Standing::unproven);
  EXPECT_EQ(points[1].rival, 0);
  EXPECT_NEAR(points[1].rival_chance, normal_cdf(std::log(1.05) / (0.1 * std::sqrt(2.0))), 1e-12);
}

}  // namespace
}  // namespace echo::results
