// Blocks that begin alike, composed together, are what each of them is alone.
#include "timeline/block/block_pair.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/random_block.hpp"

namespace echo::timeline {
namespace {

// The first `keep` ops of the block, then others; of which the first need what ended last, if `late`.
RandomBlock with_end(const RandomBlock& block, std::int32_t keep, std::uint64_t number, bool late) {
  RandomBlock out = block;
  out.lane.resize(at(keep)), out.part.resize(at(keep)), out.work.resize(at(keep));
  out.needs.clear();
  for (std::int32_t op = 0; op < keep; ++op) {
    for (const OpId need : block.needs.row(op)) out.needs.push(need);
    out.needs.close_row();
  }
  std::uint64_t drawn = 0;
  const auto pick = [&](std::int32_t below) {
    return static_cast<std::int32_t>(draw(815, number, drawn++) % static_cast<std::uint64_t>(below));
  };
  std::int32_t last_kernel = keep - 1;
  while (last_kernel >= 0 && block.lane[at(last_kernel)] != Lane::compute) --last_kernel;
  for (std::int32_t more = pick(6); more > 0; --more) {
    const auto lane = static_cast<Lane>(pick(3) == 0 ? 0 : pick(lane_count));
    out.lane.push_back(lane);
    out.part.push_back(static_cast<TimeCategory>(pick(time_category_count)));
    out.work.push_back(lane == Lane::compute ? work_of(KernelId(pick(out.kernels)))
                                             : work_of(CollectiveId(pick(out.collectives)), out.kernels));
    if (late && last_kernel >= 0)
      out.needs.push(OpId(last_kernel));
    else if (const std::int32_t before = length_of(out.lane) - 1; before > 0 && pick(2) == 0)
      out.needs.push(OpId(pick(before)));
    out.needs.close_row();
  }
  return out;
}

void expect_alone(const RandomBlock& block, const PairedBlock& paired, const BlockPaths* paths,
                  BlockScratchData& scratch) {
  scratch.contended = SimTime::zero();
  ASSERT_EQ(paired.times, compose_block(block.view(), block.alone, block.factors(), scratch))
      << block.describe();
  ASSERT_EQ(paired.contended, scratch.contended) << block.describe();
  if (paths == nullptr) return;
  for (const auto& [a, b] : {std::pair(&paired.paths.makespan, &paths->makespan),
                             std::pair(&paired.paths.data.start, &paths->data.start),
                             std::pair(&paired.paths.data.end, &paths->data.end),
                             std::pair(&paired.paths.data.busy, &paths->data.busy),
                             std::pair(&paired.paths.host.start, &paths->host.start),
                             std::pair(&paired.paths.host.end, &paths->host.end),
                             std::pair(&paired.paths.host.busy, &paths->host.busy)}) {
    ASSERT_EQ(a->part, b->part) << block.describe();
    ASSERT_EQ(a->bottleneck, b->bottleneck) << block.describe();  // bit by bit
  }
}

TEST(BlockPair, IsTwoBlocks) {
  BlockScratchData scratch, alone;
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    const RandomBlock block(number);
    const auto ops = static_cast<std::int32_t>(block.lane.size());
    const std::int32_t keep = ops == 0 ? 0 : static_cast<std::int32_t>(draw(814, number, 0) % at(ops + 1));
    const bool late = number % 3 != 0;
    const RandomBlock a = with_end(block, keep, 2 * number, late),
                      b = with_end(block, keep, 2 * number + 1, late);
    const OpGraphView one = a.view(), other = b.view();
    const std::int32_t alike = ops_alike(one, other);
    ASSERT_GE(alike, keep);
    std::vector<BottleneckTimes> drivers(a.alone.size());
    for (std::size_t work = 0; work < drivers.size(); ++work)
      drivers[work].ps[work % bottleneck_count] = static_cast<double>(a.alone[work].count()) / 3.0;

    PairedBlock first, second;
    compose_pair({one, other, alike}, a.alone, a.factors(), scratch, first, second);
    expect_alone(a, first, nullptr, alone);
    expect_alone(b, second, nullptr, alone);
    compose_pair({one, other, alike}, a.alone, a.factors(), scratch, drivers, first, second);
    BlockPaths paths;
    (void)compose_block(one, a.alone, a.factors(), alone, drivers, paths);
    expect_alone(a, first, &paths, alone);
    (void)compose_block(other, b.alone, b.factors(), alone, drivers, paths);
    expect_alone(b, second, &paths, alone);
  }
}

}  // namespace
}  // namespace echo::timeline
