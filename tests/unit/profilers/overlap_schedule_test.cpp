#include "profilers/overlap/overlap_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace echo::profilers {
namespace {

const std::vector<double> some_kernels{8e-6, 100e-6, 1e-3, 5e-3};

double time_of(const Schedule& schedule, const std::vector<double>& kernels) {
  double sum = 0.0;
  for (const Cell& cell : schedule.cells)
    sum += seconds_of(cell, cell.kernel >= 0 ? kernels[static_cast<std::size_t>(cell.kernel)] : 0.0);
  return sum * schedule.rounds;
}

TEST(Launches, OutlastTheCommunicationUnlessTheQueueIsFull) {
  for (const double seconds : {5e-6, 20e-6, 150e-6, 1e-3, 7e-3, 50e-3}) {
    const std::int32_t milliseconds = milliseconds_beside(seconds),
                       launches = launches_of(seconds, milliseconds);
    EXPECT_GE(launches, 8);
    EXPECT_LE(launches, 256);
    if (launches < 256) {
      EXPECT_GE(launches * seconds, milliseconds * 1e-3);
    }
  }
}

TEST(Cells, PairEveryKernelWithEveryCaseAndMeasureBothAlone) {
  const std::int32_t cases = 5;
  const std::vector<Cell> cells = all_cells(some_kernels, cases);
  const auto has = [&](const Cell& cell) { return std::count(cells.begin(), cells.end(), cell) == 1; };
  for (std::int32_t kernel = 0; kernel < 4; ++kernel) {
    const std::int32_t milliseconds = milliseconds_beside(some_kernels[static_cast<std::size_t>(kernel)]);
    EXPECT_TRUE(has({kernel, nothing, milliseconds}));
    EXPECT_TRUE(has({kernel, control, milliseconds}));
    for (std::int32_t beside = 0; beside < cases; ++beside) {
      EXPECT_TRUE(has({kernel, beside, milliseconds}));
      EXPECT_TRUE(has({nothing, beside, milliseconds}));
    }
  }
}

TEST(Fit, TakesAsManyRoundsAsTheBudgetHolds) {
  const std::vector<Cell> cells = all_cells(some_kernels, 5);
  for (const double budget : {2.0, 5.0, 10.0}) {
    const Schedule schedule = fit(cells, some_kernels, budget, 1000, 1);
    EXPECT_EQ(schedule.cells, cells);
    EXPECT_NEAR(schedule.seconds, time_of(schedule, some_kernels), 1e-9);
    EXPECT_LE(schedule.seconds, budget);
    EXPECT_GT(schedule.seconds / schedule.rounds * (schedule.rounds + 1), budget);
  }
  EXPECT_EQ(fit(cells, some_kernels, 1e6, 3, 1).rounds, 3);
}

TEST(Fit, LeavesCellsOutOfARoundTooLongButNeverTheReferences) {
  const std::vector<Cell> cells = all_cells(some_kernels, 40);
  const double whole = fit(cells, some_kernels, 1e6, 1, 1).seconds, budget = 0.7 * whole;
  const Schedule schedule = fit(cells, some_kernels, budget, 5, 1);
  EXPECT_EQ(schedule.rounds, 1);
  EXPECT_LE(schedule.seconds, budget);
  EXPECT_NEAR(schedule.seconds, time_of(schedule, some_kernels), 1e-9);
  EXPECT_EQ(schedule.left_out + static_cast<std::int64_t>(schedule.cells.size()),
            static_cast<std::int64_t>(cells.size()));
  for (const Cell& cell : cells)
    if (cell.kernel < 0 || cell.communication < 0) {
      EXPECT_EQ(std::count(schedule.cells.begin(), schedule.cells.end(), cell), 1);
    }
}

TEST(Fit, DrawsOtherCellsForAnotherSeed) {
  const std::vector<Cell> cells = all_cells(some_kernels, 40);
  const double budget = 0.7 * fit(cells, some_kernels, 1e6, 1, 1).seconds;
  EXPECT_EQ(fit(cells, some_kernels, budget, 5, 1).cells, fit(cells, some_kernels, budget, 5, 1).cells);
  EXPECT_NE(fit(cells, some_kernels, budget, 5, 1).cells, fit(cells, some_kernels, budget, 5, 2).cells);
}

TEST(Shuffled, IsAPermutationThatSeedAndRoundChange) {
  for (const std::int32_t count : {0, 1, 2, 100}) {
    std::vector<std::int32_t> order = shuffled(count, 7, 1);
    EXPECT_EQ(order, shuffled(count, 7, 1));
    std::sort(order.begin(), order.end());
    std::vector<std::int32_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
  }
  EXPECT_NE(shuffled(100, 7, 1), shuffled(100, 7, 2));
  EXPECT_NE(shuffled(100, 7, 1), shuffled(100, 8, 1));
}

TEST(Shuffled, PutsEveryNumberEverywhere) {
  std::vector<std::vector<int>> seen(4, std::vector<int>(4, 0));
  for (std::uint64_t round = 0; round < 4000; ++round) {
    const std::vector<std::int32_t> order = shuffled(4, 3, round);
    for (std::size_t place = 0; place < 4; ++place) ++seen[place][static_cast<std::size_t>(order[place])];
  }
  for (const auto& place : seen)
    for (const int count : place) EXPECT_NEAR(count, 1000, 150);  // five standard deviations
}

}  // namespace
}  // namespace echo::profilers
