// Skipping the steady state changes no picosecond, and does skip.
#include <gtest/gtest.h>

#include <numeric>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "timeline/patterns/alternating.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

struct Draws {
  std::uint64_t seed, number = 0;
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(draw(7, seed, number++) % static_cast<std::uint64_t>(limit));
  }
};

// Owns what a pipeline's inputs point to. `spread`: stage times differ by at most that many parts in a
// million.
struct Pipeline {
  Pipeline(const Schedule& schedule, std::int32_t stages, std::int32_t chunks, std::int32_t microbatches,
           std::int64_t spread, std::int64_t hop, bool overlapped, Draws draws, std::int32_t group = 0)
      : plan(&schedule), stage_of(static_cast<std::size_t>(chunks)) {
    schedule.place(stages, chunks, stage_of);
    shape = {stages, chunks, microbatches, stage_of, group};
    for (std::int32_t c = 0; c < chunks; ++c) {
      const SimTime f(1'000'000 + draws.below(spread + 1)), b(2'000'000 + draws.below(2 * spread + 1));
      times.push_back(
          {f, b / 2, b - b / 2, SimTime(draws.below(9'000'000)), b + SimTime(draws.below(900'000))});
      data.push_back(
          {SimTime(draws.below(900'000)), SimTime(draws.below(3'000'000)), SimTime(draws.below(800'000))});
      if (c > 0) forward.emplace_back(draws.below(hop + 1)), backward.emplace_back(draws.below(hop + 1));
    }
    hops = {forward, backward, overlapped};
  }
  [[nodiscard]] PipelineTimes run(bool skipping, PipelineScratch& scratch) const {
    Schedule schedule = *plan;
    if (!skipping) schedule.steady = nullptr;
    PipelineTimes out;
    compose_pipeline(shape, schedule, times, hops, data, scratch, out);
    return out;
  }
  const Schedule* plan;
  std::vector<std::int32_t> stage_of;
  PipelineShape shape;
  std::vector<ChunkTimes> times;
  std::vector<DataLane> data;
  std::vector<SimTime> forward, backward;
  Hops hops;
};

std::int64_t tasks_run(const PipelineScratch& scratch) { return scratch.tasks_run; }

const Schedule& schedule(std::string_view name) {
  return *schedule_table()[static_cast<std::size_t>(find_named(schedule_table(), name))];
}

constexpr std::int64_t spreads[] = {0, 1, 7, 1'000, 100'000, 1'000'000};
constexpr std::int64_t hops[] = {0, 1, 50'000, 1'500'000};

TEST(RepeatingPipeline, EqualsThePlainLoop) {
  PipelineScratch plain, skipping;
  std::int64_t all = 0, run = 0;
  for (std::uint64_t i = 0; i < 2500; ++i) {
    Draws draws{i};
    const Schedule& plan = schedule(draws.below(2) == 0 ? "1f1b" : "interleaved");
    const auto stages = static_cast<std::int32_t>(2 + draws.below(9));
    const auto laps = static_cast<std::int32_t>(plan.interleaves ? 2 + draws.below(4) : 1);
    const auto microbatches =
        static_cast<std::int32_t>(plan.interleaves ? stages * (1 + draws.below(20)) : 1 + draws.below(300));
    const Pipeline line(plan, stages, stages * laps, microbatches, spreads[draws.below(6)],
                        hops[draws.below(4)], draws.below(2) == 0, draws);
    const PipelineTimes expected = line.run(false, plain), found = line.run(true, skipping);
    ASSERT_EQ(expected.end, found.end) << "case " << i;
    ASSERT_TRUE(expected.stages == found.stages) << "case " << i;
    all += tasks_run(plain), run += tasks_run(skipping);
  }
  EXPECT_LT(run, all / 2);  // it skips, most of the time
}

TEST(RepeatingPipeline, EqualsThePlainLoopBySplitBackwardsAndByGroups) {
  PipelineScratch plain, skipping;
  std::int64_t all = 0, run = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Draws draws{i};
    const char* const names[] = {"zb-h1", "zb-h2", "interleaved"};
    const Schedule& plan = schedule(names[draws.below(3)]);
    const auto stages = static_cast<std::int32_t>(2 + draws.below(9));
    const auto laps = static_cast<std::int32_t>(plan.interleaves ? 2 + draws.below(4) : 1);
    const auto group = static_cast<std::int32_t>(plan.interleaves ? stages + draws.below(9) : 0);
    auto microbatches = static_cast<std::int32_t>(1 + draws.below(400));
    if (group > 0) {
      const auto left_over = static_cast<std::int32_t>(draws.below(group));
      microbatches = group * (1 + microbatches / 8) + (left_over >= stages ? left_over : 0);
    }
    const Pipeline line(plan, stages, stages * laps, microbatches, spreads[draws.below(6)],
                        hops[draws.below(4)], draws.below(2) == 0, draws, group);
    ASSERT_FALSE(plan.refuses(line.shape)) << "case " << i;
    const PipelineTimes expected = line.run(false, plain), found = line.run(true, skipping);
    ASSERT_EQ(expected.end, found.end) << "case " << i;
    ASSERT_TRUE(expected.stages == found.stages) << "case " << i;
    all += tasks_run(plain), run += tasks_run(skipping);
  }
  EXPECT_LT(run, all * 2 / 3);
}

TEST(RepeatingPipeline, CostDoesNotGrowWithMicrobatches) {
  for (const bool overlapped : {false, true}) {
    for (const std::int32_t stages : {2, 4, 16}) {
      const Pipeline some(schedule("1f1b"), stages, stages, 32 * stages, 100'000, 40'000, overlapped, {1});
      const Pipeline many(schedule("1f1b"), stages, stages, 4096, 100'000, 40'000, overlapped, {1});
      PipelineScratch scratch;
      (void)some.run(true, scratch);
      const std::int64_t few_tasks = tasks_run(scratch);
      (void)many.run(true, scratch);
      EXPECT_LT(tasks_run(scratch), 2 * few_tasks) << stages << (overlapped ? " overlapped" : " blocking");
    }
  }
}

// Two stages that alternate after warm-ups of 50 and 5 forwards, so that 45 microbatches are under way
// between them.
constexpr std::int32_t deep = 50, shallow = 5;

std::int32_t warm_up(std::int32_t stage) { return stage == 0 ? deep : shallow; }

// The first forwards are in the warm-up; the last pair of stage 0 is left out for the sake of the last
// backwards.
SteadyStretch steady_after_uneven_warm_up(const PipelineShape& shape, std::int32_t stage) {
  return {.first = warm_up(stage), .length = 2, .advance = 1, .repeats = shape.microbatches - deep - 1};
}

void slice_after_uneven_warm_up(const PipelineShape& shape, std::int32_t stage, std::int32_t from,
                                std::int32_t to, std::vector<Task>& out) {
  append_alternating(shape, stage, warm_up(stage), from, to, out);
}

// Stage 1 starts late and finds its inputs waiting. Both clocks then advance alike for some 180 microbatches,
// while the transfers, slower than the tasks, fall behind unseen: looking at clocks alone would take that for
// the steady state.
TEST(RepeatingPipeline, IsNotFooledByClocksThatShiftAlikeForAWhile) {
  Schedule plan = schedule("1f1b");
  plan.slice = slice_after_uneven_warm_up;
  plan.steady = steady_after_uneven_warm_up;
  Pipeline line(plan, 2, 2, 600, 0, 0, true, {1});
  line.times = {{.forward = SimTime(10), .backward_input = SimTime(10), .last_backward = SimTime(10)},
                {.forward = SimTime(10), .backward_input = SimTime(10), .gathered = SimTime(1500)}};
  line.forward[0] = SimTime(25);
  PipelineScratch plain, skipping;
  const PipelineTimes expected = line.run(false, plain), found = line.run(true, skipping);
  EXPECT_EQ(expected.end, found.end);
  EXPECT_TRUE(expected.stages == found.stages);
}

}  // namespace
}  // namespace echo::timeline
