#include "learn/candidates/white_box.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/learn_examples.hpp"

using namespace echo;
using namespace echo::learn;

// What the model itself says at these constants, of both sides.
static Examples examples_of(const slowdown::Contention& truth) {
  Examples examples = echo::testing::priced_examples(120, 1, 0.0);
  for (Example& example : examples.rows) {
    Pair& pair = example.pair;
    pair.kernel.memory_share = 0.5 + pair.kernel.memory_share;
    pair.collective.memory_rate = 0.3 * pair.machine.memory_bandwidth;
    const slowdown::Factors factors = contend(truth, pair.kernel, pair.collective, pair.machine);
    slowdown::OverlapRow& row = example.row;
    row.overlapped = slowdown::overlapped_time(row.alone, row.overlap_ratio, factors.kernel - 1.0);
    row.beside.overlapped = row.beside.alone * factors.collective;
  }
  return examples;
}

static double error_of(const Examples& examples, const slowdown::Contention& constants) {
  double sum = 0.0;
  for (const Example& example : examples.rows)
    for (const Side side : {Side::kernel, Side::collective})
      sum += std::abs(relative_error(
          outcome_of(example.row, side, 1.0 / kept_beside(example.pair, constants, side) - 1.0)));
  return sum;
}

TEST(FittedConstants, FindThoseThatTheRowsWereMadeWith) {
  const slowdown::Contention truth{
      .sm_per_channel = 2.0, .memory_interference = 0.5, .sustained_memory = 0.8};
  const Examples examples = examples_of(truth);
  EXPECT_EQ(fitted_constants(examples, echo::testing::all_rows(examples), 1.0), truth);
  EXPECT_NEAR(error_of(examples, truth), 0.0, 1e-9);
}

TEST(FittedConstants, AreTheSameForBothSidesOfTheSameRows) {
  Examples examples = examples_of({.sm_per_channel = 1.7, .memory_interference = 0.6});
  const auto rows = echo::testing::all_rows(examples);
  const slowdown::Contention of_kernels = fitted_constants(examples, rows, 3.0);
  examples.side = Side::collective;
  EXPECT_EQ(fitted_constants(examples, rows, 3.0), of_kernels);
}

TEST(FittedConstants, SayLittleRatherThanMuchWhereThatIsAsked) {
  Examples examples = examples_of({.sm_per_channel = 1.7, .memory_interference = 0.6});
  for (std::size_t i = 0; i < examples.rows.size(); ++i)
    examples.rows[i].row.overlapped *= 0.9 + 0.2 * draw_unit(1, 99, i);
  const auto rows = echo::testing::all_rows(examples);
  const auto mean_factor = [&](const slowdown::Contention& constants) {
    double sum = 0.0;
    for (const Example& example : examples.rows)
      sum += 1.0 / kept_beside(example.pair, constants, Side::kernel);
    return sum / 120.0;
  };
  const slowdown::Contention even = fitted_constants(examples, rows, 1.0);
  const slowdown::Contention careful = fitted_constants(examples, rows, 10.0);
  EXPECT_LT(mean_factor(careful), mean_factor(even));
  EXPECT_LE(error_of(examples, even), error_of(examples, careful));
}

TEST(FittedConstants, StayAtTheirDefaultsWhereRowsSayNothing) {
  Examples examples = echo::testing::priced_examples(20, 1, 0.0);
  for (Example& example : examples.rows) example.pair.collective = {};
  EXPECT_EQ(fitted_constants(examples, echo::testing::all_rows(examples), 1.0), slowdown::Contention{});
}

TEST(PairOfMetrics, TakesSharesFromTheMetricsItNames) {
  Example example;
  example.row.metrics = {.compute_throughput = 0.6,
                         .memory_throughput = 0.2,
                         .dram_throughput = 0.1,
                         .achieved_occupancy = 0.25,
                         .maximum_occupancy = 0.5};
  const AssumedCommunication assumed{.sm_share = 0.15, .memory_share = 0.1};
  const Pair unknown = pair_of_metrics(example, assumed);
  EXPECT_DOUBLE_EQ(unknown.kernel.sm_share, 0.5);
  EXPECT_DOUBLE_EQ(unknown.kernel.memory_share, 0.1);
  EXPECT_DOUBLE_EQ(unknown.kernel.compute_bound, 0.75);
  EXPECT_DOUBLE_EQ(static_cast<double>(unknown.collective.channels) / unknown.machine.sm_count, 0.15);
  EXPECT_DOUBLE_EQ(unknown.collective.memory_rate / unknown.machine.memory_bandwidth, 0.1);

  example.pair.machine = {.sm_count = 100, .memory_bandwidth = 2e12};
  example.row.metrics.blocks = 40;
  example.row.beside.channels = 8;
  example.row.beside.memory_rate = 5e11;
  const Pair known = pair_of_metrics(example, assumed);
  EXPECT_DOUBLE_EQ(known.kernel.sm_share, 0.4);
  EXPECT_EQ(known.collective.channels, 8);
  EXPECT_DOUBLE_EQ(known.collective.memory_rate, 5e11);
}

TEST(PairOfMetrics, SaysNothingOfARowWithoutMetrics) {
  const Pair pair = pair_of_metrics({}, {.sm_share = 0.2, .memory_share = 0.1});
  EXPECT_EQ(pair.kernel.sm_share, 1.0);
  EXPECT_EQ(pair.kernel.compute_bound, 0.0);
  EXPECT_EQ(kept_beside(pair, {}, Side::kernel), 1.0);
}
