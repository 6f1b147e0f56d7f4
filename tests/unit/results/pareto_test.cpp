// The front and the main effects, each against the obvious way to get it.
#include "results/rank/pareto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "results/rank/effects.hpp"
#include "results/rank/objectives.hpp"

namespace echo::results {
namespace {

using ::testing::ElementsAre;

struct Point {
  double time, gpus;
  bool feasible = true;
};

ColumnValues integers(const std::string& name, const std::string& role, std::vector<std::int64_t> values) {
  ColumnValues column;
  column.name = name, column.role = role, column.integers = std::move(values);
  return column;
}

Table table_of(const std::vector<Point>& points) {
  std::vector<std::int64_t> rows, status, gpus;
  ColumnValues time;
  time.name = "step_time", time.role = "metric", time.type = storage::ElementType::f8;
  for (const Point& point : points) {
    rows.push_back(std::ssize(rows));
    status.push_back(point.feasible ? 0 : 1);
    gpus.push_back(static_cast<std::int64_t>(point.gpus));
    time.reals.push_back(point.time);
  }
  return Table({integers("config", "scale", rows), integers("status", "outcome", status),
                integers("gpus", "input", gpus), time});
}

std::vector<std::int64_t> front_of(const std::vector<Point>& points) {
  std::vector<std::int64_t> rows;
  for (const ParetoPoint& point :
       pareto_front(table_of(points), {"step_time", sweep::Goal::min}, {"gpus", sweep::Goal::min}))
    rows.push_back(point.row);
  return rows;
}

// Every row against every other.
std::vector<std::int64_t> slow_front(const std::vector<Point>& points) {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool beaten = !points[i].feasible;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (!points[j].feasible) continue;
      const bool no_worse = points[j].time <= points[i].time && points[j].gpus <= points[i].gpus;
      const bool equal = points[j].time == points[i].time && points[j].gpus == points[i].gpus;
      beaten = beaten || (no_worse && (!equal || j < i));
    }
    if (!beaten) rows.push_back(static_cast<std::int64_t>(i));
  }
  std::ranges::sort(rows, {}, [&](std::int64_t row) { return points[static_cast<std::size_t>(row)].time; });
  return rows;
}

TEST(ParetoFront, EqualsTheComparisonOfEveryPair) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Point> points(random() % 60);
    for (Point& point : points)  // few values, so that ties are common
      point = {static_cast<double>(random() % 12), static_cast<double>(random() % 12), random() % 5 != 0};
    EXPECT_EQ(front_of(points), slow_front(points)) << "seed " << seed;
  }
}

TEST(ParetoFront, LeavesOutWhatHasNoValue) {
  EXPECT_THAT(front_of({{std::nan(""), 1}, {2, 4}, {1, 9, false}}), ElementsAre(1));
}

TEST(ParetoFront, HeedsTheGoal) {
  const auto front = pareto_front(table_of({{1, 1}, {2, 8}, {3, 4}}), {"step_time", sweep::Goal::min},
                                  {"gpus", sweep::Goal::max});
  ASSERT_EQ(front.size(), 2U);
  EXPECT_EQ(front[0].row, 0);
  EXPECT_EQ(front[1].row, 1);
  EXPECT_EQ(front[1].second, 8);
}

TEST(Objectives, AreAlwaysTwo) {
  using sweep::Goal;
  using Objectives = std::vector<sweep::Objective>;
  EXPECT_EQ(two_objectives({}), (Objectives{{"step_time", Goal::min}, {"gpus", Goal::min}}));
  EXPECT_EQ(two_objectives({{"gpus", Goal::min}}),
            (Objectives{{"gpus", Goal::min}, {"step_time", Goal::min}}));
  EXPECT_EQ(two_objectives({{"mfu", Goal::max}}), (Objectives{{"mfu", Goal::max}, {"step_time", Goal::min}}));
  const Objectives three{{"mfu", Goal::max}, {"mem_peak", Goal::min}, {"gpus", Goal::min}};
  EXPECT_EQ(two_objectives(three), (Objectives{three[0], three[1]}));
}

// step_time = a(tp) * b(pp), every pair once: shares are those of the variances of log a and log b.
Table crossed(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::int64_t> rows, status, tp, pp, same;
  ColumnValues time;
  time.name = "step_time", time.role = "metric", time.type = storage::ElementType::f8;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      rows.push_back(std::ssize(rows)), status.push_back(0), same.push_back(7);
      tp.push_back(std::int64_t(i)), pp.push_back(std::int64_t(j));
      time.reals.push_back(a[i] * b[j]);
    }
  return Table({integers("config", "scale", rows), integers("status", "outcome", status),
                integers("tp", "input", tp), integers("pp", "input", pp), integers("cp", "input", same),
                time});
}

TEST(MainEffects, OfIndependentFactorsAreTheSharesOfTheirVariances) {
  // log2: tp contributes variance 1, pp variance 0.25 (values one apart and half apart from their means).
  const auto effects = main_effects(crossed({1.0, 4.0}, {1.0, 2.0}), "step_time");
  ASSERT_EQ(effects.size(), 2U);  // cp takes one value only
  EXPECT_EQ(effects[0].axis, "tp");
  EXPECT_NEAR(effects[0].share, 0.8, 1e-12);
  EXPECT_EQ(effects[1].axis, "pp");
  EXPECT_NEAR(effects[1].share, 0.2, 1e-12);
}

TEST(MainEffects, DoNotDependOnTheUnit) {
  const auto seconds = main_effects(crossed({1.0, 4.0, 5.0}, {1.0, 2.0, 9.0}), "step_time");
  const auto hours = main_effects(crossed({3600.0, 14400.0, 18000.0}, {1.0, 2.0, 9.0}), "step_time");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(seconds[i].axis, hours[i].axis);
    EXPECT_NEAR(seconds[i].share, hours[i].share, 1e-12);
  }
}

TEST(MainEffects, OfAConstantAreNothing) {
  for (const auto& effect : main_effects(crossed({0.3, 0.3}, {0.1, 0.1}), "step_time"))
    EXPECT_EQ(effect.share, 0.0);
}

}  // namespace
}  // namespace echo::results
