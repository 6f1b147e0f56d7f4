// A warm composer allocates nothing.
#include <gtest/gtest.h>

#include "base/memory_limit.hpp"
#include "base/named_table.hpp"
#include "tests/support/random_replay.hpp"
#include "timeline/block/block.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

TEST(WarmComposer, AllocatesNothingForABlock) {
  const std::vector<Lane> lane{Lane::compute, Lane::tensor, Lane::compute};
  const std::vector<TimeCategory> part(3, TimeCategory::forward);
  const std::vector<WorkId> work{WorkId(0), WorkId(1), WorkId(0)};
  Csr<OpId> needs;
  needs.close_row(), needs.push(OpId(0)), needs.close_row(), needs.push(OpId(1)), needs.close_row();
  const std::vector<SimTime> alone{SimTime(5), SimTime(6)};
  BlockScratchData scratch;
  (void)compose_block({lane, part, work, &needs}, alone, {}, scratch);
  const MemoryMeter meter;
  (void)compose_block({lane, part, work, &needs}, alone, {}, scratch);
  EXPECT_EQ(meter.allocations(), 0);
}

TEST(WarmComposer, AllocatesNothingForAReplay) {
  ReplayScratch scratch;
  ReplayPlan plan;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const RandomReplay random(i);
    plan_replay(random.graph, plan);
    (void)replay(random.graph, plan, {random.alone, random.work}, random.factors(), scratch);
    const MemoryMeter meter;
    (void)replay(random.graph, plan, {random.alone, random.work}, random.factors(), scratch);
    EXPECT_EQ(meter.allocations(), 0) << random.describe();
  }
}

TEST(WarmComposer, AllocatesNothingForAPipeline) {
  for (const Schedule* schedule : schedule_table()) {
    for (const std::int32_t microbatches : {8, 64}) {
      const std::int32_t stages = 4, chunks = schedule->interleaves ? 8 : 4;
      std::vector<std::int32_t> stage_of(static_cast<std::size_t>(chunks));
      schedule->place(stages, chunks, stage_of);
      const bool pairs = schedule->pairs != Pairs::never && schedule->refuses({1, 1, 1, {}});
      const PipelineShape shape{stages, chunks, microbatches, stage_of, 0, pairs, schedule->copies};
      const std::vector<ChunkTimes> times(
          stage_of.size(), {SimTime(3), SimTime(4), SimTime(5), SimTime(6), SimTime(7), SimTime(8)});
      const std::vector<SimTime> hop(stage_of.size() - 1, SimTime(1));
      const MemoryMeter cold;
      PipelineScratch scratch;
      PipelineTimes out;
      compose_pipeline(shape, *schedule, times, {hop, hop, true}, {}, scratch, out);
      EXPECT_GT(cold.allocations(), 0);
      const MemoryMeter meter;
      compose_pipeline(shape, *schedule, times, {hop, hop, true}, {}, scratch, out);
      EXPECT_EQ(meter.allocations(), 0) << schedule->name << " m=" << microbatches;
    }
  }
}

}  // namespace
}  // namespace echo::timeline
