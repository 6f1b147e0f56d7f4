// Laws of block composition on random blocks.
#include <gtest/gtest.h>

#include <numeric>

#include "base/at.hpp"
#include "tests/support/random_block.hpp"

namespace echo::timeline {
namespace {

constexpr std::uint64_t cases = 2000;
constexpr std::size_t compute = static_cast<std::size_t>(Lane::compute);

BlockTimes compose(const RandomBlock& block, const FactorTable& factors) {
  BlockScratchData scratch;
  return compose_block(block.view(), block.alone, factors, scratch);
}

// The recurrence nobody can get wrong: an op starts when its lane and its needs have ended.
std::vector<SimTime> max_plus_ends(const RandomBlock& block) {
  std::vector<SimTime> end(block.lane.size());
  std::array<SimTime, lane_count> lane_end{};
  for (std::size_t i = 0; i < end.size(); ++i) {
    SimTime& lane = lane_end[at(block.lane[i])];
    SimTime start = lane;
    for (const OpId need : block.needs.row(static_cast<std::int32_t>(i))) {
      start = std::max(start, end[at(need)]);
    }
    end[i] = lane = start + block.alone[at(block.work[i])];
  }
  return end;
}

TEST(ComposeBlock, ExposedPartsSumToTheMakespan) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const RandomBlock block(i);
    const BlockTimes times = compose(block, block.factors());
    ASSERT_EQ(std::accumulate(times.exposed.begin(), times.exposed.end(), SimTime::zero()), times.makespan)
        << block.describe();
    for (const SimTime part : times.exposed) ASSERT_GE(part, SimTime::zero()) << block.describe();
  }
}

TEST(ComposeBlock, IsThePlainRecurrenceWhenNothingSlows) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const RandomBlock block(i);
    const std::vector<double> ones(static_cast<std::size_t>(block.kernels * block.collectives), 1.0);
    const std::vector<double> none(static_cast<std::size_t>(block.collectives * block.collectives), 0.0);
    for (const FactorTable& factors :
         {FactorTable{}, FactorTable{block.kernels, block.collectives, ones, ones},
          FactorTable{block.kernels, block.collectives, ones, ones, none, none},
          FactorTable{block.kernels, block.collectives, {}, {}, none, none}}) {
      BlockScratchData scratch;
      const BlockTimes times = compose_block(block.view(), block.alone, factors, scratch);
      ASSERT_EQ(scratch.end, max_plus_ends(block)) << block.describe();
      ASSERT_EQ(times.slowdown_penalty, SimTime::zero());
    }
  }
}

TEST(ComposeBlock, IsThePlainRecurrenceWhenNothingOverlaps) {
  std::int32_t slowing = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    RandomBlock block(i);
    block.needs.clear();
    for (const OpId op : ids<OpId>(length_of(block.lane))) {
      if (op > OpId(0)) block.needs.push(op - 1);
      block.needs.close_row();
    }
    BlockScratchData scratch;
    (void)compose_block(block.view(), block.alone, block.factors(), scratch);
    ASSERT_EQ(scratch.end, max_plus_ends(block)) << block.describe();
    slowing += block.kernel_factor.empty() ? 0 : 1;
  }
  EXPECT_GT(slowing, 500);
}

TEST(ComposeBlock, LastsAtLeastAsLongAsItsBusiestLaneAndAtMostAsItsSlowedSum) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const RandomBlock block(i);
    const BlockTimes times = compose(block, block.factors());
    double worst = 1.0, kernel = 1.0, shared = 0.0;
    for (const double f : block.kernel_factor) kernel = std::max(kernel, f);
    for (const double f : block.collective_factor) worst = std::max(worst, f);
    for (std::size_t j = 0; j < block.scale_up_loss.size(); ++j)
      shared = std::max(shared, block.scale_up_loss[j] + block.scale_out_loss[j]);
    constexpr double beside = lane_count - 2;  // other collectives beside a collective
    if (!block.scale_up_loss.empty()) kernel = 1.0 + (beside + 1.0) * (kernel - 1.0);
    worst = std::max(kernel, worst + beside * shared);
    SimTime sum{}, last{};
    for (const WorkId work : block.work) sum += block.alone[at(work)];
    for (std::size_t l = 0; l < lane_count; ++l) {
      const SimTime lane_end = times.makespan + times.lag[l];
      ASSERT_GE(lane_end, times.first_start[l] + (l == compute ? times.busy[l] : SimTime::zero()))
          << block.describe();
      ASSERT_GE(lane_end, times.busy[l]) << block.describe();
      last = std::max(last, lane_end);
    }
    // Each step rounds once: at most half a picosecond per running op and step.
    const auto rounding = static_cast<double>(block.work.size() * lane_count);
    ASSERT_LE(static_cast<double>(last.count()), worst * (static_cast<double>(sum.count()) + rounding))
        << block.describe();
    ASSERT_EQ(times.compute_busy - times.slowdown_penalty,
              std::inner_product(block.lane.begin(), block.lane.end(), block.work.begin(), SimTime::zero(),
                                 std::plus<>(), [&](Lane l, WorkId work) {
                                   return l == Lane::compute ? block.alone[at(work)] : SimTime::zero();
                                 }));
  }
}

// Lanes keep their order, so an op that lasts longer starts and ends nothing earlier. This is true of a
// block; of a step it is not (slowdown_laws_test.cpp).
TEST(ComposeBlock, EndsNoOpEarlierBecauseOthersSlowIt) {
  std::int64_t later = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const RandomBlock block(i);
    BlockScratchData scratch;
    (void)compose_block(block.view(), block.alone, block.factors(), scratch);
    const std::vector<SimTime> plain = max_plus_ends(block);
    for (std::size_t op = 0; op < plain.size(); ++op) {
      ASSERT_GE(scratch.end[op], plain[op]) << block.describe();
      later += scratch.end[op] > plain[op];
    }
  }
  EXPECT_GT(later, 5000);
}

TEST(ComposeBlock, NeverGetsShorterByALongerOpWhenNothingSlows) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    RandomBlock block(i);
    const SimTime before = compose(block, {}).makespan;
    block.alone[i % block.alone.size()] += SimTime(1 + static_cast<std::int64_t>(i % 1000));
    ASSERT_GE(compose(block, {}).makespan, before) << block.describe();
  }
}

// One collective beside a kernel has no other to share with: the tables of losses change nothing.
TEST(ComposeBlock, LosesNothingToSharingOnOneLane) {
  std::int32_t slowing = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    RandomBlock block(i);
    for (Lane& lane : block.lane)
      if (lane != Lane::compute) lane = Lane::data;
    FactorTable without = block.factors();
    without.scale_up_loss = without.scale_out_loss = {};
    ASSERT_EQ(compose(block, block.factors()), compose(block, without)) << block.describe();
    slowing += block.scale_up_loss.empty() ? 0 : 1;
  }
  EXPECT_GT(slowing, 500);
}

// What blocks that are composed once rest on (simulate/step/block_memo.cpp): where nothing is contended the
// tables of losses change nothing, nor what bounds the block.
TEST(ComposeBlock, IsTheSameWithTablesOfLossesWhereNothingIsContended) {
  std::int32_t apart = 0, contended = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    RandomBlock block(i);
    if (block.scale_up_loss.empty() || block.kernel_factor.empty()) continue;  // as prices never are
    if (i % 2 == 0)  // as between collectives of which each has links of its own
      for (std::vector<double>* losses : {&block.scale_up_loss, &block.scale_out_loss})
        std::ranges::fill(*losses, 0.0);
    FactorTable without = block.factors();
    without.scale_up_loss = without.scale_out_loss = {};
    std::vector<BottleneckTimes> bottlenecks(block.alone.size());
    for (std::size_t work = 0; work < bottlenecks.size(); ++work)
      bottlenecks[work].ps[work % bottleneck_count] = static_cast<double>(block.alone[work].count());
    BlockScratchData scratch;
    BlockPaths with_losses, without_losses;
    const BlockTimes times =
        compose_block(block.view(), block.alone, block.factors(), scratch, bottlenecks, with_losses);
    ++(scratch.contended > SimTime::zero() ? contended : apart);
    if (scratch.contended > SimTime::zero()) continue;
    ASSERT_EQ(times, compose_block(block.view(), block.alone, without, scratch, bottlenecks, without_losses))
        << block.describe();
    ASSERT_EQ(with_losses.makespan.bottleneck, without_losses.makespan.bottleneck) << block.describe();
    ASSERT_EQ(with_losses.data.end.bottleneck, without_losses.data.end.bottleneck) << block.describe();
  }
  EXPECT_GT(apart, 50);
  EXPECT_GT(contended, 500);
}

// Without kernels to reorder things, collectives that need nothing of each other only get longer.
TEST(ComposeBlock, CollectivesOnlyLoseBesideEachOther) {
  std::int32_t longer = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    RandomBlock block(i);
    block.needs.clear();
    for (std::size_t op = 0; op < block.lane.size(); ++op) block.needs.close_row();
    FactorTable with = block.factors(), without = with;
    with.kernel_factor = with.collective_factor = without.kernel_factor = without.collective_factor = {};
    without.scale_up_loss = without.scale_out_loss = {};
    const BlockTimes shared = compose(block, with), alone = compose(block, without);
    for (std::size_t l = 0; l < lane_count; ++l) {
      ASSERT_GE(shared.busy[l], alone.busy[l]) << block.describe();
      longer += shared.busy[l] > alone.busy[l];
    }
    ASSERT_EQ(shared.makespan, alone.makespan) << block.describe();
  }
  EXPECT_GT(longer, 500);
}

}  // namespace
}  // namespace echo::timeline
