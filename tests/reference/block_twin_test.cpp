// The fast block composer equals its slow twin to the picosecond, and a fault in either would show.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "simulate/simulate.hpp"
#include "tests/reference/block_twin.hpp"
#include "tests/support/random_block.hpp"
#include "tests/support/random_config.hpp"

namespace echo::timeline {
namespace {

TEST(BlockTwin, AgreesOnEveryOpOfRandomBlocks) {
  BlockScratchData scratch;  // shared on purpose: results must not depend on what it held
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const RandomBlock block(i);
    const twin::BlockResult slow = twin::simulate_block(block.view(), block.alone, block.factors());
    const BlockTimes fast = compose_block(block.view(), block.alone, block.factors(), scratch);
    ASSERT_TRUE(slow.times == fast) << block.describe();
    for (const auto& [op, end] : slow.end) {
      ASSERT_EQ(slow.start.at(op), scratch.start[at(op)]) << block.describe() << " op " << op;
      ASSERT_EQ(end, scratch.end[at(op)]) << block.describe() << " op " << op;
    }
  }
}

// Were the comparison blind, a changed input on one side would pass too.
TEST(BlockTwin, NoticesOnePicosecondMore) {
  BlockScratchData scratch;
  std::int32_t checked = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    RandomBlock block(i);
    if (block.work.empty()) continue;
    const twin::BlockResult slow = twin::simulate_block(block.view(), block.alone, block.factors());
    block.alone[at(block.work[i % block.work.size()])] += SimTime(1);
    ASSERT_FALSE(slow.times == compose_block(block.view(), block.alone, block.factors(), scratch))
        << block.describe();
    ++checked;
  }
  EXPECT_GT(checked, 300);
}

TEST(BlockTwin, NoticesOtherFactors) {
  BlockScratchData scratch;
  std::int32_t noticed = 0, slowed = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    RandomBlock block(i);
    const twin::BlockResult slow = twin::simulate_block(block.view(), block.alone, block.factors());
    if (slow.times.slowdown_penalty < SimTime(100)) continue;
    ++slowed;
    for (double& factor : block.kernel_factor) factor = 1.0 + (factor - 1.0) * 1.5;
    noticed += slow.times == compose_block(block.view(), block.alone, block.factors(), scratch) ? 0 : 1;
  }
  EXPECT_GT(slowed, 50);
  EXPECT_EQ(noticed, slowed);
}

TEST(BlockTwin, NoticesOtherLosses) {
  BlockScratchData scratch;
  std::int32_t noticed = 0, shared = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    RandomBlock block(i);
    const twin::BlockResult slow = twin::simulate_block(block.view(), block.alone, block.factors());
    FactorTable without = block.factors();
    without.scale_up_loss = without.scale_out_loss = {};
    const auto length = [](const BlockTimes& times) {
      SimTime sum{};
      for (const SimTime busy : times.busy) sum += busy;
      return sum;
    };
    const BlockTimes alone = compose_block(block.view(), block.alone, without, scratch);
    if (length(slow.times) < length(alone) + SimTime(100)) continue;
    ++shared;
    for (double& loss : block.scale_out_loss) loss = 0.5 + loss * 1.5;
    noticed += slow.times == compose_block(block.view(), block.alone, block.factors(), scratch) ? 0 : 1;
  }
  EXPECT_GT(shared, 100);
  EXPECT_GT(noticed, shared * 9 / 10);
}

// The blocks of real steps, with the prices and the losses that they have there.
TEST(BlockTwin, AgreesOnTheBlocksOfStepsWhoseCollectivesShareLinks) {
  const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  simulate::Workspace ws;
  int compared = 0, shared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto report =
        simulate::simulate(support::random_config(seed), catalog, support::presets().calibration, ws);
    if (report.status != training::Status::ok) continue;
    FactorTable apart = ws.step.prices.factors();
    apart.scale_up_loss = apart.scale_out_loss = {};
    for (std::int32_t i = 0; i < ws.step.work.block_count; ++i) {
      const workload::OpGraph& graph = ws.step.work.blocks[at(i)];
      if (graph.size() > 400) continue;  // the twin looks at every op at every step
      const OpGraphView view{graph.lane, graph.part, graph.work, &graph.needs};
      const BlockTimes& fast = ws.step.composed.times[at(i)];
      ASSERT_TRUE(twin::simulate_block(view, ws.step.prices.alone, ws.step.prices.factors()).times == fast)
          << "seed " << seed << " block " << i;
      ++compared;
      BlockScratchData scratch;
      shared += compose_block(view, ws.step.prices.alone, apart, scratch) == fast ? 0 : 1;
    }
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(shared, 10);
}

}  // namespace
}  // namespace echo::timeline
