#include "timeline/block/block.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/at.hpp"

namespace echo::timeline {
namespace {

// A block spelled op by op.
struct Block {
  std::vector<Lane> lane;
  std::vector<TimeCategory> part;
  std::vector<WorkId> work;
  Csr<OpId> needs;

  void add(Lane l, TimeCategory p, std::int32_t w, std::vector<std::int32_t> after = {}) {
    lane.push_back(l), part.push_back(p), work.push_back(WorkId(w));
    for (const std::int32_t n : after) needs.push(OpId(n));
    needs.close_row();
  }
  [[nodiscard]] OpGraphView view() const { return {lane, part, work, &needs}; }
};

SimTime ps(std::int64_t n) { return SimTime(n); }
SimTime of(const BlockTimes& t, TimeCategory p) { return t.exposed[at(p)]; }
SimTime sum(const BlockTimes& t) {
  return std::accumulate(t.exposed.begin(), t.exposed.end(), SimTime::zero());
}
constexpr std::size_t tensor = static_cast<std::size_t>(Lane::tensor);
constexpr std::size_t data = static_cast<std::size_t>(Lane::data);

TEST(ComposeBlock, TakesNoTimeWithoutOps) {
  BlockScratchData scratch;
  EXPECT_EQ(compose_block(Block{}.view(), {}, {}, scratch), BlockTimes{});
}

TEST(ComposeBlock, ChargesWaitingToThePartOfTheOpWaitedFor) {
  Block block;
  block.add(Lane::compute, TimeCategory::forward, 0);
  block.add(Lane::tensor, TimeCategory::tp_comm, 2, {0});
  block.add(Lane::compute, TimeCategory::recompute, 1, {1});
  const std::vector<SimTime> alone{ps(10), ps(20), ps(7)};
  BlockScratchData scratch;
  const BlockTimes times = compose_block(block.view(), alone, {}, scratch);
  EXPECT_EQ(times.makespan, ps(37));
  EXPECT_EQ(of(times, TimeCategory::forward), ps(10));
  EXPECT_EQ(of(times, TimeCategory::tp_comm), ps(7));
  EXPECT_EQ(of(times, TimeCategory::recompute), ps(20));
  EXPECT_EQ(times.first_start[tensor], ps(10));
  EXPECT_EQ(times.busy[tensor], ps(7));
  EXPECT_EQ(times.lag[tensor], ps(0));
}

TEST(ComposeBlock, ReportsCommunicationPastTheLastKernelAsLag) {
  Block block;
  block.add(Lane::compute, TimeCategory::backward, 0);
  block.add(Lane::data, TimeCategory::dp_comm, 1, {0});
  BlockScratchData scratch;
  const BlockTimes times = compose_block(block.view(), std::vector<SimTime>{ps(10), ps(25)}, {}, scratch);
  EXPECT_EQ(times.makespan, ps(10));
  EXPECT_EQ(times.lag[data], ps(25));
  EXPECT_EQ(sum(times), times.makespan);
}

TEST(ComposeBlock, SlowsBothWhileTheyOverlap) {
  // Kernel of 100 at factor 2 beside a collective of 40 at factor 1.5: the collective ends at 60, when the
  // kernel has done 30; the other 70 run alone, so it ends at 130.
  Block block;
  block.add(Lane::compute, TimeCategory::backward, 0);
  block.add(Lane::data, TimeCategory::dp_comm, 1);
  const std::vector<double> kernel{2.0}, collective{1.5};
  BlockScratchData scratch;
  const BlockTimes times =
      compose_block(block.view(), std::vector<SimTime>{ps(100), ps(40)}, {1, 1, kernel, collective}, scratch);
  EXPECT_EQ(times.busy[data], ps(60));
  EXPECT_EQ(times.makespan, ps(130));
  EXPECT_EQ(times.slowdown_penalty, ps(30));
  EXPECT_EQ(of(times, TimeCategory::slowdown), ps(30));
  EXPECT_EQ(of(times, TimeCategory::backward), ps(100));
}

TEST(ComposeBlock, SlowsAKernelByTheWorstCollectiveBesideIt) {
  Block block;
  block.add(Lane::compute, TimeCategory::backward, 0);
  block.add(Lane::data, TimeCategory::dp_comm, 1);
  block.add(Lane::tensor, TimeCategory::tp_comm, 2);
  const std::vector<double> kernel{1.25, 2.0}, collective{1.0, 1.0};
  BlockScratchData scratch;
  const BlockTimes times = compose_block(block.view(), std::vector<SimTime>{ps(100), ps(400), ps(400)},
                                         {1, 2, kernel, collective}, scratch);
  EXPECT_EQ(times.makespan, ps(200));
}

// Beside each other a loses all of its time again and b half of its own: a, 40 long, runs at 1/2, b, 100
// long, at 2/3. a ends at 80; b has 100 - 80 * 2/3 = 46.7 left and ends at 127.
TEST(ComposeBlock, CollectivesSlowEachOtherWithoutAKernel) {
  Block block;
  block.add(Lane::tensor, TimeCategory::tp_comm, 0);
  block.add(Lane::data, TimeCategory::dp_comm, 1);
  const std::vector<double> up{0.0, 1.0, 0.0, 0.0}, out{0.0, 0.0, 0.5, 0.0};
  BlockScratchData scratch;
  const BlockTimes times =
      compose_block(block.view(), std::vector<SimTime>{ps(40), ps(100)},
                    {.kernels = 0, .collectives = 2, .scale_up_loss = up, .scale_out_loss = out}, scratch);
  EXPECT_EQ(times.busy[tensor], ps(80));
  EXPECT_EQ(times.busy[data], ps(127));
}

TEST(ComposeBlock, AddsLossesWhereCollectivesShare) {
  // Kernel of 100 at 1.25 and 2 beside two collectives: 1 + 0.25 + 1. Each collective at 1.5 beside it and at
  // 1 + 0.5 + 0.5 beside both.
  Block block;
  block.add(Lane::compute, TimeCategory::backward, 0);
  block.add(Lane::data, TimeCategory::dp_comm, 1);
  block.add(Lane::tensor, TimeCategory::tp_comm, 2);
  const std::vector<double> kernel{1.25, 2.0}, collective{1.5, 1.5}, up{0.0, 0.5, 0.5, 0.0}, out(4, 0.0);
  BlockScratchData scratch;
  const BlockTimes times = compose_block(block.view(), std::vector<SimTime>{ps(100), ps(400), ps(400)},
                                         {1, 2, kernel, collective, up, out}, scratch);
  EXPECT_EQ(times.makespan, ps(225));
  // 225 pass at 1/2 of their speed; of 400 - 113 left, half again as long.
  EXPECT_EQ(times.busy[data], ps(225 + 431));
  EXPECT_EQ(times.busy[tensor], times.busy[data]);
}

TEST(ComposeBlock, ChargesWhatIsLostOnALinkToThatLink) {
  // What two collectives lose to each other that both wait for the way out all the time.
  Block block;
  block.add(Lane::tensor, TimeCategory::tp_comm, 0);
  block.add(Lane::data, TimeCategory::dp_comm, 1);
  block.add(Lane::compute, TimeCategory::backward, 2, {0, 1});
  const std::vector<double> up(4, 0.0), out{0.0, 1.0, 1.0, 0.0};
  std::vector<BottleneckTimes> bottlenecks(3);
  bottlenecks[0][Bottleneck::scale_out] = bottlenecks[1][Bottleneck::scale_out] = 50.0;
  bottlenecks[2][Bottleneck::arithmetic] = 7.0;
  BlockScratchData scratch;
  BlockPaths paths;
  const std::vector<WorkId> work{WorkId(1), WorkId(2), WorkId(0)};
  const OpGraphView view{block.lane, block.part, work, &block.needs};
  const std::vector<SimTime> alone{ps(7), ps(50), ps(50)};
  const std::vector<BottleneckTimes> in_order{bottlenecks[2], bottlenecks[0], bottlenecks[1]};
  const BlockTimes times =
      compose_block(view, alone, {.kernels = 1, .collectives = 2, .scale_up_loss = up, .scale_out_loss = out},
                    scratch, in_order, paths);
  EXPECT_EQ(times.makespan, ps(107));
  EXPECT_EQ(paths.makespan.bottleneck[Bottleneck::scale_out], 100.0);
  EXPECT_EQ(paths.makespan.bottleneck[Bottleneck::arithmetic], 7.0);
}

TEST(ComposeBlock, EndsOpsOfNoLengthAtOnce) {
  Block block;
  for (std::int32_t i = 0; i < 5; ++i)
    block.add(i % 2 == 0 ? Lane::compute : Lane::tensor, TimeCategory::other, i % 2);
  const std::vector<double> factor{3.0};
  BlockScratchData scratch;
  EXPECT_EQ(compose_block(block.view(), std::vector<SimTime>(2), {1, 1, factor, factor}, scratch).makespan,
            ps(0));
}

TEST(ComposeBlock, RefusesNeedsThatPointForward) {
  Block block;
  block.add(Lane::compute, TimeCategory::other, 0, {1});
  block.add(Lane::compute, TimeCategory::other, 0);
  BlockScratchData scratch;
  EXPECT_ANY_THROW((void)compose_block(block.view(), std::vector<SimTime>{ps(1)}, {}, scratch));
}

}  // namespace
}  // namespace echo::timeline
