#include "timeline/pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/named_table.hpp"

namespace echo::timeline {
namespace {

SimTime ps(std::int64_t n) { return SimTime(n); }

const Schedule& schedule(std::string_view name) {
  return *schedule_table()[at(find_named(schedule_table(), name))];
}

// Owns what PipelineShape points to.
struct Pipeline {
  Pipeline(std::string_view name, std::int32_t stages, std::int32_t chunks, std::int32_t microbatches,
           ChunkTimes each)
      : plan(schedule(name)), stage_of(static_cast<std::size_t>(chunks)), times(stage_of.size(), each) {
    plan.place(stages, chunks, stage_of);
    shape = {stages, chunks, microbatches, stage_of};
    forward_hops.assign(stage_of.size() - 1, SimTime::zero());
    backward_hops = forward_hops;
  }
  PipelineTimes run(bool overlapped = false, std::span<const DataLane> data = {}) {
    PipelineScratch scratch;
    PipelineTimes out;
    compose_pipeline(shape, plan, times, {forward_hops, backward_hops, overlapped}, data, scratch, out);
    return out;
  }
  const Schedule& plan;
  std::vector<std::int32_t> stage_of;
  std::vector<ChunkTimes> times;
  PipelineShape shape;
  std::vector<SimTime> forward_hops, backward_hops;
};

constexpr std::int64_t f = 1'000'003, b = 2'000'029;
ChunkTimes uniform(std::int64_t divide = 1) {
  return {ps(f / divide), ps(b / divide), ps(0), ps(f / divide), ps(b / divide)};
}

TEST(OneFOneB, TakesMicrobatchesPlusStagesMinusOneSlots) {
  for (const std::int32_t p : {1, 2, 3, 4, 8, 13}) {
    for (const std::int32_t m : {1, 2, 5, 8, 64, 257}) {
      EXPECT_EQ(Pipeline("1f1b", p, p, m, uniform()).run().end, ps((m + p - 1) * (f + b))) << p << " " << m;
    }
  }
}

TEST(GPipe, TakesMicrobatchesPlusStagesMinusOneSlots) {
  for (const std::int32_t p : {1, 2, 3, 4, 8, 13}) {
    for (const std::int32_t m : {1, 2, 5, 8, 64, 257}) {
      EXPECT_EQ(Pipeline("gpipe", p, p, m, uniform()).run().end, ps((m + p - 1) * (f + b))) << p << " " << m;
    }
  }
}

TEST(Interleaved, DividesTheBubbleByTheChunksPerStage) {
  for (const std::int32_t p : {2, 3, 4, 8, 13}) {
    for (const std::int32_t v : {2, 3, 4, 7}) {
      for (const std::int32_t groups : {1, 2, 3, 4, 5, 12}) {
        // Chunk times f and b: the step is (m v + p - 1)(f + b), i.e. (m + (p-1)/v)(F + B) with F = v f.
        const std::int64_t m = p * groups;
        EXPECT_EQ(Pipeline("interleaved", p, p * v, p * groups, uniform()).run().end,
                  ps((m * v + p - 1) * (f + b)))
            << p << " " << v << " " << groups;
      }
    }
  }
}

TEST(ComposePipeline, SumsTasksOfASingleStage) {
  Pipeline alone("1f1b", 1, 1, 10, {ps(3), ps(4), ps(1), ps(10), ps(20)});
  const std::vector<DataLane> data{{.first_start = ps(2), .busy = ps(30), .lag = ps(14)}};
  const PipelineTimes times = alone.run(false, data);
  EXPECT_EQ(times.stages[0].busy, ps(10 * 3 + 9 * 5 + 20));
  EXPECT_EQ(times.stages[0].gather_wait, ps(10 - 3));  // its weights are there at 10, not at 3
  EXPECT_EQ(times.stages[0].compute_end, times.stages[0].busy + ps(7));
  EXPECT_EQ(times.stages[0].data_end, times.stages[0].compute_end + ps(14));
  EXPECT_EQ(times.end, times.stages[0].data_end);
}

TEST(ComposePipeline, ChargesABlockingHopToBothSides) {
  // F0 | hop | F1 B1 | hop | B0: each side sits in two transfers.
  Pipeline two("1f1b", 2, 2, 1, {ps(10), ps(20), ps(0), ps(10), ps(20)});
  two.forward_hops = {ps(3)}, two.backward_hops = {ps(4)};
  const PipelineTimes times = two.run();
  EXPECT_EQ(times.end, ps(10 + 3 + 10 + 20 + 4 + 20));
  EXPECT_EQ(times.stages[0].hop_wait, ps(3 + 4));
  EXPECT_EQ(times.stages[1].hop_wait, ps(3 + 4));
  EXPECT_EQ(times.stages[1].compute_end, ps(10 + 3 + 10 + 20 + 4));
}

TEST(ComposePipeline, HidesOverlappedHopsBehindComputation) {
  // GPipe on two stages: the second stage starts one hop late; its later inputs arrive while it computes.
  Pipeline two("gpipe", 2, 2, 8, {ps(10), ps(20), ps(0), ps(10), ps(20)});
  two.forward_hops = {ps(3)}, two.backward_hops = {ps(4)};
  EXPECT_EQ(two.run(true).end, ps(10 + 3 + 8 * 30 + 4 + 20));
  EXPECT_EQ(two.run(true).stages[0].hop_wait, ps(0));
  EXPECT_GT(two.run(false).end, two.run(true).end);
}

TEST(ComposePipeline, SendsOneOverlappedTransferAtATime) {
  // A hop longer than the tasks sets the pace: the last of 8 inputs arrives after 8 hops.
  Pipeline two("gpipe", 2, 2, 8, {ps(10), ps(10), ps(0), ps(10), ps(10)});
  two.forward_hops = {ps(50)};
  EXPECT_EQ(two.run(true).end, ps(10 + 8 * 50 + 10 + 8 * 10 + 10));
}

TEST(ComposePipeline, GivesTheLastBackwardItsOwnTime) {
  Pipeline two("1f1b", 2, 2, 3, {ps(10), ps(20), ps(0), ps(0), ps(23)});
  EXPECT_EQ(two.run().stages[1].busy, ps(3 * 10 + 2 * 20 + 23));
}

TEST(ComposePipeline, GathersWeightsOfAllStagesFromTheStartOfTheStep) {
  // Weights arrive everywhere at 12: stage 0 waits 2 for them, stage 1 has waited for its input anyway.
  Pipeline two("1f1b", 2, 2, 3, {ps(10), ps(20), ps(0), ps(12), ps(20)});
  EXPECT_EQ(two.run().stages[0].gather_wait, ps(2));
  EXPECT_EQ(two.run().stages[1].gather_wait, ps(0));
}

TEST(ComposePipeline, QueuesGradientTrafficOfTheChunksOfAStage) {
  // The second chunk's traffic finds the lane busy with the first one's and follows it.
  Pipeline inter("interleaved", 2, 4, 2, uniform());
  const std::vector<DataLane> data(4, {.first_start = ps(b), .busy = ps(100 * b), .lag = ps(100 * b)});
  const PipelineTimes times = inter.run(false, data);
  const SimTime last_end = times.stages[0].compute_end;
  EXPECT_GT(times.stages[0].data_end, last_end + ps(100 * b));
  EXPECT_LT(times.stages[0].data_end, last_end + ps(200 * b));
}

TEST(ComposePipeline, PlacesEveryTask) {
  Pipeline four("1f1b", 4, 4, 9, uniform());
  PipelineScratch scratch;
  PipelineTimes out;
  std::vector<PlacedTask> placed;
  compose_pipeline(four.shape, four.plan, four.times, {}, {}, scratch, out, &placed);
  EXPECT_EQ(placed.size(), 4U * 9U * 2U);
  EXPECT_EQ(out.end, ps((9 + 3) * (f + b)));
}

TEST(ComposePipeline, ThrowsWhenTheOrderDeadlocks) {
  Schedule stuck = schedule("1f1b");
  stuck.slice = nullptr, stuck.steady = nullptr;
  stuck.plan = [](const PipelineShape&, std::span<const ChunkTimes>, Csr<Task>& out) {
    out.clear();
    out.push(task_of(TaskKind::forward, 0, 0)), out.push(task_of(TaskKind::backward, 0, 0)), out.close_row();
    out.push(task_of(TaskKind::backward, 1, 0)), out.push(task_of(TaskKind::forward, 1, 0)), out.close_row();
  };
  Pipeline two("1f1b", 2, 2, 1, uniform());
  PipelineScratch scratch;
  PipelineTimes out;
  EXPECT_THROW(compose_pipeline(two.shape, stuck, two.times, {}, {}, scratch, out), ContractViolation);
}

}  // namespace
}  // namespace echo::timeline
