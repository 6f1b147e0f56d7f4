// What kernels and collectives lose to each other, pair by pair, adds up to what a block takes longer.
#include "simulate/step/slowed_time.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "simulate/step/shared_time.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using support::random_config;

// A kernel of 10 us; beside it, from its start on, a collective of 4 us: 1.25 and 2 times as long.
TEST(SlowedTime, OfOnePairIsWhatTheFactorsSay) {
  workload::OpGraph graph;
  graph.lane = {Lane::compute, Lane::data};
  graph.part = {TimeCategory::backward, TimeCategory::dp_comm};
  graph.work = {WorkId(0), WorkId(1)};
  graph.needs.close_row();
  graph.needs.close_row();
  Prices prices;
  prices.kernels.resize(1);
  prices.collectives.resize(1);
  prices.alone = {SimTime(10'000'000), SimTime(4'000'000)};
  prices.kernel_factor = {1.25};
  prices.collective_factor = {2.0};
  std::vector<SlowedTime> times;
  add_slowed_time(graph, prices, 3, times);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].part, TimeCategory::dp_comm);
  EXPECT_EQ(times[0].beside, SimTime(3 * 8'000'000));       // the collective takes 8 us, ...
  EXPECT_EQ(times[0].kernel_lost, SimTime(3 * 1'600'000));  // in which the kernel does 6.4 us of work
  EXPECT_EQ(times[0].collective_lost, SimTime(3 * 4'000'000));
}

TEST(SlowedTime, AddsUpToWhatBlocksTakeLonger) {
  const Catalog catalog = catalog_with_roomy_gpus();
  std::int64_t slowed = 0;
  for (const Contention contention : {Contention::analytical, Contention::off}) {
    Calibration calibration = presets().calibration;
    calibration.contention = contention;
    Workspace ws;
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
      if (simulate(random_config(seed), catalog, calibration, ws).status != training::Status::ok) continue;
      for (std::size_t block = 0; block < static_cast<std::size_t>(ws.step.work.block_count); ++block) {
        const workload::OpGraph& graph = ws.step.work.blocks[block];
        timeline::BlockScratchData scratch;
        const timeline::BlockTimes times =
            timeline::compose_block({graph.lane, graph.part, graph.work, &graph.needs}, ws.step.prices.alone,
                                    ws.step.prices.factors(), scratch);
        SimTime collectives_longer{};
        for (std::size_t lane = 1; lane < lane_count; ++lane) collectives_longer += times.busy[lane];
        for (std::size_t op = 0; op < graph.work.size(); ++op)
          if (graph.lane[op] != Lane::compute) collectives_longer -= ws.step.prices.alone[at(graph.work[op])];

        std::vector<SlowedTime> pairs;
        std::vector<SharedTime> shared;
        add_slowed_time(graph, ws.step.prices, 1, pairs);
        add_shared_time(graph, ws.step.prices, 1, shared);
        SimTime kernels{}, collectives{};
        for (const SlowedTime& pair : pairs) {
          ASSERT_GE(pair.kernel_lost, SimTime::zero());
          ASSERT_GT(pair.beside, SimTime::zero());
          kernels += pair.kernel_lost, collectives += pair.collective_lost;
        }
        for (const SharedTime& loss : shared) collectives += loss.lost;
        // Half a picosecond for each of some stretches of time, and for each op that runs in them.
        const double roundings = 4.0 * lane_count * static_cast<double>(graph.work.size());
        ASSERT_NEAR(static_cast<double>(kernels.count()), static_cast<double>(times.slowdown_penalty.count()),
                    roundings)
            << "seed " << seed;
        ASSERT_NEAR(static_cast<double>(collectives.count()), static_cast<double>(collectives_longer.count()),
                    roundings)
            << "seed " << seed;
        slowed += times.slowdown_penalty > SimTime::zero();
      }
    }
  }
  EXPECT_GT(slowed, 300);
}

}  // namespace
}  // namespace echo::simulate
