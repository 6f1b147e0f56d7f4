// Chances between two rows, against draws of the errors themselves.
#include "results/rank/contest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/error_tables.hpp"

namespace echo::results {
namespace {

using sweep::Goal;
using sweep::Objective;

double normal_draw(std::uint64_t seed, std::uint64_t key, std::uint64_t trial) {
  const double u = draw_unit(seed, mix(key), 2 * trial), v = draw_unit(seed, mix(key), 2 * trial + 1);
  return std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(2.0 * std::acos(-1.0) * v);
}

// The true step time and memory of a row in one trial: one draw for each source and owner.
struct Truth {
  double step, memory;
};
Truth truth_of(const ErrorRow& row, std::uint64_t number, std::uint64_t seed, std::uint64_t trial) {
  double error = 0.0;
  for (std::size_t k = 0; k < error_source_count; ++k) {
    const ErrorOwner owner = owner_of(static_cast<ErrorSource>(k));
    const auto whose = owner == ErrorOwner::config
                           ? 1000 + number
                           : static_cast<std::uint64_t>(row.error.owner[static_cast<std::size_t>(owner)]);
    error += row.error.step[k] * normal_draw(seed, 10'000 * k + whose, trial);
  }
  return {row.step * std::exp(error),
          row.memory * std::exp(row.error.memory * normal_draw(seed, 900'000 + number, trial))};
}

double value_of(const ErrorRow& row, const Truth& truth, const std::string& metric) {
  if (metric == "gpus") return static_cast<double>(row.gpus);
  if (metric == "mem_peak") return truth.memory;
  return metric == "step_time" ? truth.step : 1.0 / truth.step;
}

double drawn_chance(const std::vector<ErrorRow>& rows, const std::vector<Objective>& objectives,
                    std::uint64_t seed, std::uint64_t trials) {
  std::uint64_t won = 0;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const Truth a = truth_of(rows[0], 0, seed, trial), b = truth_of(rows[1], 1, seed, trial);
    won += std::ranges::all_of(objectives, [&](const Objective& objective) {
      const double x = value_of(rows[0], a, objective.metric), y = value_of(rows[1], b, objective.metric);
      return objective.goal == Goal::min ? x <= y : x >= y;
    });
  }
  return static_cast<double>(won) / static_cast<double>(trials);
}

Contender contender_of(const Table& table, const std::vector<Objective>& objectives,
                       const std::vector<Aspect>& aspects, const ErrorRow& row, std::int64_t number) {
  Contender contender{.row = number, .cost = {}, .error = row.error};
  for (std::size_t o = 0; o < aspects.size(); ++o)
    contender.cost[o] = aspects[o].cost_of(table.number(objectives[o].metric, number));
  return contender;
}

std::vector<ErrorRow> random_rows(std::uint64_t seed, std::uint64_t count) {
  std::vector<ErrorRow> rows(count);
  for (std::uint64_t i = 0; i < count; ++i)
    rows[i] = {.step = 1.0 + 0.1 * draw_unit(seed, i, 0),
               .gpus = static_cast<std::int64_t>(8 + draw(seed, i, 1) % 3),
               .memory = 1e9 * (1.0 + 0.1 * draw_unit(seed, i, 2)),
               .error = random_error(seed, i, 0.05)};
  return rows;
}

const std::vector<std::vector<Objective>> choices{
    {{"step_time", Goal::min}},
    {{"tokens_per_s", Goal::max}},
    {{"step_time", Goal::min}, {"gpus", Goal::min}},
    {{"tokens_per_s", Goal::max}, {"mem_peak", Goal::min}},
    {{"step_time", Goal::min}, {"tokens_per_s", Goal::max}},
    {{"step_time", Goal::max}, {"step_time", Goal::min}},  // of no use, and yet right
    {{"mem_peak", Goal::min}, {"gpus", Goal::max}}};

TEST(Contest, ChancesAreThoseOfDrawnErrors) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::vector<ErrorRow> rows = random_rows(seed, 2);
    const Table table = table_with_errors(rows);
    for (const auto& objectives : choices) {
      std::vector<Aspect> aspects;
      for (const Objective& objective : objectives) aspects.push_back(aspect_of(table, objective));
      const double chance = chance_to_beat(aspects, contender_of(table, objectives, aspects, rows[0], 0),
                                           contender_of(table, objectives, aspects, rows[1], 1));
      EXPECT_NEAR(chance, drawn_chance(rows, objectives, seed, 20'000), 0.015)
          << "seed " << seed << ", " << objectives[0].metric << ", " << objectives.size();
    }
  }
}

TEST(Contest, WhatTwoRowsShareCancels) {
  ErrorRow slow{.step = 1.02}, fast{.step = 1.0};
  slow.error.step[index_of(ErrorSource::scale_out)] = 0.2;
  fast.error.step[index_of(ErrorSource::scale_out)] = 0.2;
  const Aspect aspect = aspect_of(table_with_errors({fast, slow}), {"step_time", Goal::min});
  const auto chance = [&] {
    return chance_to_beat({&aspect, 1}, {0, {std::log(fast.step)}, fast.error},
                          {1, {std::log(slow.step)}, slow.error});
  };
  EXPECT_EQ(chance(), 1.0);
  slow.error.owner[1] = 7;  // another cluster
  EXPECT_NEAR(chance(), normal_cdf(std::log(1.02) / (0.2 * std::sqrt(2.0))), 1e-12);
}

TEST(Contest, WithoutErrorsIsDominance) {
  const std::vector<ErrorRow> rows{
      {.step = 1.0, .gpus = 8}, {.step = 1.0, .gpus = 8}, {.step = 1.0, .gpus = 9}};
  const Table table = table_with_errors(rows, false);
  const std::vector<Objective> objectives{{"step_time", Goal::min}, {"gpus", Goal::min}};
  const std::vector<Aspect> aspects{aspect_of(table, objectives[0]), aspect_of(table, objectives[1])};
  const auto chance = [&](std::int64_t a, std::int64_t b) {
    const auto of = [&](std::int64_t row) {
      return contender_of(table, objectives, aspects, rows[static_cast<std::size_t>(row)], row);
    };
    return chance_to_beat(aspects, of(a), of(b));
  };
  EXPECT_EQ(chance(0, 1), 1.0);  // equal: the earlier
  EXPECT_EQ(chance(1, 0), 0.0);
  EXPECT_EQ(chance(1, 2), 1.0);
  EXPECT_EQ(chance(2, 1), 0.0);
}

TEST(Contest, BoundsHoldForAllOfABox) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<ErrorRow> rows = random_rows(seed, 8);
    for (std::size_t i = 1; i < rows.size(); ++i) rows[i].error.owner = rows[1].error.owner;
    const Table table = table_with_errors(rows);
    const auto& objectives = choices[seed % choices.size()];
    std::vector<Aspect> aspects;
    for (const Objective& objective : objectives) aspects.push_back(aspect_of(table, objective));
    std::vector<Contender> all;
    for (std::size_t i = 0; i < rows.size(); ++i)
      all.push_back(contender_of(table, objectives, aspects, rows[i], static_cast<std::int64_t>(i)));
    ContestBox box{all[1].cost, all[1].error, all[1].error};
    for (const Contender& in : std::span(all).subspan(2)) {
      for (std::size_t o = 0; o < 2; ++o) box.least_cost[o] = std::min(box.least_cost[o], in.cost[o]);
      for (std::size_t k = 0; k < error_source_count; ++k) {
        box.least.step[k] = std::min(box.least.step[k], in.error.step[k]);
        box.most.step[k] = std::max(box.most.step[k], in.error.step[k]);
      }
      box.least.memory = std::min(box.least.memory, in.error.memory);
      box.most.memory = std::max(box.most.memory, in.error.memory);
    }
    const double bound = chance_bound(aspects, box, all[0]);
    double best = 0.0;
    for (const Contender& in : std::span(all).subspan(1))
      best = std::max(best, chance_to_beat(aspects, in, all[0]));
    EXPECT_GE(bound, best - 1e-12) << "seed " << seed;
    EXPECT_LE(bound, 1.0);
  }
}

TEST(RowErrors, AreScaledToTheCalibratedPercentile) {
  ErrorRow row;
  row.error.step[0] = 0.03, row.error.step[1] = 0.04;
  const Table table = table_with_errors({row}, true, 1.5);
  EXPECT_TRUE(has_step_errors(table));
  EXPECT_FALSE(has_step_errors(table_with_errors({row}, false)));
  const ErrorColumns columns(table);
  Scan scan(table, columns.names());
  ASSERT_TRUE(scan.next());
  EXPECT_NEAR(columns.at(scan, 0, 0).step[1], 1.5 * 0.04, 1e-15);
}

}  // namespace
}  // namespace echo::results
