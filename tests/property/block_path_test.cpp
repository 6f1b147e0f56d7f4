// Paths behind a block's ends, over random blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "tests/support/random_block.hpp"

namespace echo::timeline {
namespace {

// Works fall into classes, each a driver of its own, so that a class can be made longer as a whole.
std::vector<BottleneckTimes> one_driver_each(const std::vector<SimTime>& alone) {
  std::vector<BottleneckTimes> bottlenecks(alone.size());
  for (std::size_t work = 0; work < alone.size(); ++work)
    bottlenecks[work].ps[work % bottleneck_count] = static_cast<double>(alone[work].count());
  return bottlenecks;
}

// Where `driver` costs `factor` as much: a loss is (time of a on the link) (share of b on it) / (time of a).
RandomBlock with_losses(const RandomBlock& block, std::size_t bottleneck, double factor) {
  RandomBlock out = block;
  const std::size_t collectives = at(block.collectives);
  const auto cost = [&](std::size_t of) { return of == bottleneck ? factor : 1.0; };
  const auto work = [&](std::size_t i) {
    return (static_cast<std::size_t>(block.kernels) + i) % bottleneck_count;
  };
  for (std::size_t i = 0; i < block.scale_up_loss.size(); ++i) {
    const double alone = cost(work(i / collectives)) * cost(work(i % collectives));
    const auto on = [&](Bottleneck link) { return cost(static_cast<std::size_t>(link)); };
    out.scale_up_loss[i] *= on(Bottleneck::scale_up) * on(Bottleneck::scale_up) / alone;
    out.scale_out_loss[i] *= on(Bottleneck::scale_out) * on(Bottleneck::scale_out) / alone;
  }
  // A wait for memory is the share of the kernel's time that memory takes, times the share of memory's
  // bandwidth that the collective draws. A kernel whose time is all the host's keeps its own.
  for (std::size_t pair = 0; pair < block.load_loss.size(); ++pair) {
    const std::size_t kernel = pair / collectives % bottleneck_count, collective = pair % collectives;
    const double memory = cost(static_cast<std::size_t>(Bottleneck::memory));
    const bool issued = kernel == static_cast<std::size_t>(Bottleneck::host);
    const double share = issued ? 1.0 : memory / cost(kernel);
    const double rate = memory / cost(work(collective));
    out.kernel_factor[pair] += block.load_loss[pair] * (share * rate - 1.0);
  }
  return out;
}

TEST(BlockPath, SumsToEachEndByPartAndByDriver) {
  BlockScratchData scratch;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    const RandomBlock block(number);
    BlockPaths paths;
    const BlockTimes times = compose_block(block.view(), block.alone, block.factors(), scratch,
                                           one_driver_each(block.alone), paths);
    ASSERT_EQ(times, compose_block(block.view(), block.alone, block.factors(), scratch)) << block.describe();
    const auto sums_to = [&](const PathShare& path, SimTime end) {
      ASSERT_EQ(path.length(), end) << block.describe();
      const double sum = std::accumulate(path.bottleneck.ps.begin(), path.bottleneck.ps.end(), 0.0);
      // Rates round to the picosecond at every op's end.
      ASSERT_NEAR(sum, static_cast<double>(end.count()), 1e-9 * sum + 200.0) << block.describe();
    };
    sums_to(paths.makespan, times.makespan);
    for (const auto& [lane, own] : {std::pair(Lane::data, &paths.data), std::pair(Lane::host, &paths.host)}) {
      const std::size_t l = at(lane);
      sums_to(own->start, times.first_start[l]);
      sums_to(own->busy, times.busy[l]);
      if (times.lag[l] > SimTime::zero()) sums_to(own->end, times.makespan + times.lag[l]);
    }
  }
}

// By driver: the derivative, between the differences on either side.
TEST(BlockPath, IsTheDerivativeOfTheMakespan) {
  BlockScratchData scratch;
  int compared = 0, outside = 0;
  for (std::uint64_t number = 0; number < 6000; ++number) {
    const RandomBlock block(number);
    BlockPaths paths;
    const BlockTimes times = compose_block(block.view(), block.alone, block.factors(), scratch,
                                           one_driver_each(block.alone), paths);
    if (times.makespan < SimTime(1'000'000'000)) continue;
    for (std::size_t bottleneck = 0; bottleneck < bottleneck_count; ++bottleneck) {
      const auto with = [&](double factor) {
        std::vector<SimTime> alone = block.alone;
        for (std::size_t work = bottleneck; work < alone.size(); work += bottleneck_count)
          alone[work] = scaled(alone[work], factor);
        const RandomBlock other_losses = with_losses(block, bottleneck, factor);
        const SimTime other = compose_block(block.view(), alone, other_losses.factors(), scratch).makespan;
        return static_cast<double>((other - times.makespan).count()) / (factor - 1.0);
      };
      const double a = with(1.0001), b = with(0.9999), told = paths.makespan.bottleneck.ps[bottleneck];
      // Each op's end rounds; differences are over a ten-thousandth.
      const double slack = 1e-5 * static_cast<double>(times.makespan.count()) + 1e6;
      ++compared;
      outside += told < std::min(a, b) - slack || told > std::max(a, b) + slack;
    }
  }
  EXPECT_GT(compared, 5000);
  EXPECT_EQ(outside, 0);
}

}  // namespace
}  // namespace echo::timeline
