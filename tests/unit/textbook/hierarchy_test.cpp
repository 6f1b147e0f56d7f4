#include "textbook/hierarchy.hpp"

#include <gtest/gtest.h>

namespace echo::textbook {
namespace {

using ops::CollectiveKind;
using ops::DimensionOrder;

constexpr std::int64_t GB = 1'000'000'000;

Dimension on_switch(std::int32_t size, double gigabytes, Reach reach = Reach::scale_up) {
  return {.kind = DimensionKind::switched,
          .size = size,
          .bandwidth = BytesPerSecond(gigabytes * 1e9),
          .latency = std::chrono::microseconds(1),
          .reach = reach};
}

std::vector<Dimension> two_levels() { return {on_switch(4, 400), on_switch(8, 50, Reach::scale_out)}; }

// GB over GB/s is ms; direct is the fastest at one hop.
TEST(Hierarchical, ReducesScattersThenGathersByHand) {
  std::vector<Step> scratch;
  const auto all = hierarchical({CollectiveKind::all_reduce, 32 * GB}, two_levels(), {.chunks = 1}, scratch);
  // Up and down 3/4 of 32 GB at 400 GB/s: 60 ms each. On top 2 * 7/8 of 8 GB at 50 GB/s: 280 ms. 4 hops.
  EXPECT_EQ(all.cost.scale_up, std::chrono::milliseconds(120));
  EXPECT_EQ(all.cost.scale_out, std::chrono::milliseconds(280));
  EXPECT_EQ(all.cost.latency, std::chrono::microseconds(4));
}

TEST(Hierarchical, HidesTheFasterDimensionBehindChunks) {
  std::vector<Step> scratch;
  const auto all = hierarchical({CollectiveKind::all_reduce, 32 * GB}, two_levels(), {.chunks = 4}, scratch);
  // 15 ms up, 4 times 70 on top, 15 down; 2 us on top each.
  EXPECT_EQ(all.cost.time(),
            std::chrono::milliseconds(15 + 4 * 70 + 15) + std::chrono::microseconds(2 + 4 * 2));
}

TEST(Hierarchical, TakesTheBestNumberOfChunksByItself) {
  std::vector<Step> scratch;
  for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{1'000'000}, GB}) {
    const Call call{CollectiveKind::all_reduce, bytes};
    const auto best = hierarchical(call, two_levels(), {}, scratch);
    for (std::int32_t chunks = 1; chunks <= 64; chunks *= 2)
      EXPECT_LE(best.cost.time(), hierarchical(call, two_levels(), {.chunks = chunks}, scratch).cost.time());
    EXPECT_EQ(best.cost, hierarchical(call, two_levels(), {.chunks = best.chunks}, scratch).cost);
  }
  EXPECT_EQ(hierarchical({CollectiveKind::all_reduce, 1000}, two_levels(), {}, scratch).chunks, 1);
}

TEST(Hierarchical, GathersAsLongAsItScatters) {
  std::vector<Step> scratch;
  for (const std::int32_t chunks : {1, 4}) {
    const auto gather =
        hierarchical({CollectiveKind::all_gather, GB}, two_levels(), {.chunks = chunks}, scratch);
    const auto scatter =
        hierarchical({CollectiveKind::reduce_scatter, GB}, two_levels(), {.chunks = chunks}, scratch);
    EXPECT_EQ(gather.cost.time(), scatter.cost.time());
  }
}

TEST(StagesOf, SendEverythingOnEachDimensionOfAnAllToAll) {
  std::vector<Step> scratch;
  const std::int32_t order[]{0, 1};
  const auto stages = stages_of({CollectiveKind::all_to_all, 32 * GB}, two_levels(), order,
                                AllReduceWay::turns, [&](const Call& call, std::int32_t d) {
                                  return PhaseCost{fastest(call, two_levels()[at(d)], scratch).cost};
                                });
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].cost.scale_up, std::chrono::milliseconds(60));    // 3/4 of 32 GB at 400 GB/s
  EXPECT_EQ(stages[1].cost.scale_out, std::chrono::milliseconds(560));  // 7/8 of 32 GB at 50 GB/s
}

TEST(Hierarchical, IsFasterWithTheWideDimensionFirst) {
  const std::vector<Dimension> narrow_inside{on_switch(8, 50), on_switch(4, 400)};
  std::vector<Step> scratch;
  const Call call{CollectiveKind::all_reduce, GB};
  const auto given = hierarchical(call, narrow_inside, {.chunks = 4}, scratch);
  const auto wide =
      hierarchical(call, narrow_inside, {.chunks = 4, .order = DimensionOrder::by_bandwidth}, scratch);
  const std::vector<Dimension> turned{narrow_inside[1], narrow_inside[0]};
  EXPECT_LT(wide.cost.time(), given.cost.time());
  EXPECT_EQ(wide.cost.time(), hierarchical(call, turned, {.chunks = 4}, scratch).cost.time());
}

// Where the outer dimension has more bandwidth than the inner leaves work for, chunks that begin there use
// it.
TEST(Hierarchical, BalancesDimensionsOfEqualWidth) {
  const std::vector<Dimension> equal{on_switch(16, 100), on_switch(16, 100)};
  std::vector<Step> scratch;
  const Call call{CollectiveKind::all_reduce, GB};
  const auto fixed = hierarchical(call, equal, {.chunks = 64}, scratch);
  const auto balanced = hierarchical(call, equal, {.chunks = 64, .order = DimensionOrder::balanced}, scratch);
  // 2 * 15/16 (1 + 1/16) GB at 100 GB/s: 19.9 ms of work, at best half of it on each.
  EXPECT_LT(balanced.cost.time(), scaled(fixed.cost.time(), 0.62));
  EXPECT_GT(balanced.cost.time(), std::chrono::microseconds(9960));
}

TEST(Hierarchical, NeverBeatsTheBusiestDimension) {
  std::vector<Step> scratch;
  for (const auto order :
       {DimensionOrder::inner_first, DimensionOrder::by_bandwidth, DimensionOrder::balanced})
    for (const auto queue : {ops::ChunkQueue::fifo, ops::ChunkQueue::lifo})
      for (const std::int32_t chunks : {1, 3, 16}) {
        const auto all = hierarchical({CollectiveKind::reduce_scatter, GB}, two_levels(),
                                      {.chunks = chunks, .order = order, .queue = queue}, scratch);
        EXPECT_GE(all.cost.time(), scaled(std::chrono::milliseconds(1), 1.875));  // 3/4 GB at 400 GB/s
      }
}

}  // namespace
}  // namespace echo::textbook
