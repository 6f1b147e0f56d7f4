// Orders spelled out: what may be wrong with one, and that a right one runs as the schedule it was taken
// from.
#include "timeline/patterns/given_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

// Two stages, two microbatches, 1F1B.
GivenOrder small() {
  GivenOrder order{.name = "small", .stages = 2, .microbatches = 2};
  const auto run = [&](TaskKind kind, std::int32_t stage, std::int32_t microbatch) {
    order.tasks.push(task_of(kind, stage, microbatch));
  };
  run(TaskKind::forward, 0, 0), run(TaskKind::forward, 0, 1);
  run(TaskKind::backward, 0, 0), run(TaskKind::backward, 0, 1);
  order.tasks.close_row();
  run(TaskKind::forward, 1, 0), run(TaskKind::backward, 1, 0);
  run(TaskKind::forward, 1, 1), run(TaskKind::backward, 1, 1);
  order.tasks.close_row();
  return order;
}

void expect_flaw(const GivenOrder& order, std::int32_t stage, std::int32_t position, std::string_view what) {
  const auto flaw = flaw_of(order);
  ASSERT_TRUE(flaw.has_value()) << what;
  EXPECT_EQ(flaw->stage, stage) << flaw->what;
  EXPECT_EQ(flaw->position, position) << flaw->what;
  EXPECT_EQ(flaw->what, what);
}

TEST(GivenOrder, MayBeRight) {
  GivenOrder order = small();
  EXPECT_EQ(flaw_of(order), std::nullopt);
  count_held(order);
  EXPECT_EQ(order.held, (std::vector<std::int32_t>{2, 1}));
}

TEST(GivenOrder, SaysWhichTaskIsThereTwiceOrNotAtAll) {
  GivenOrder order = small();
  order.tasks.value[1].microbatch = MicrobatchId(0);
  expect_flaw(order, 0, 1, "stage 0 runs F0 twice");
  order = small();
  order.tasks.value.pop_back(), --order.tasks.offset.back();
  expect_flaw(order, 1, 3, "stage 1 never runs B1");
}

TEST(GivenOrder, SaysWhichTaskComesTooSoon) {
  GivenOrder order = small();
  std::swap(order.tasks.value[6], order.tasks.value[7]);
  expect_flaw(order, 1, 2, "stage 1 runs B1 before its input");
}

// Stage 0 wants the backward of 0 first, stage 1 the forward of 1.
TEST(GivenOrder, SaysWhereStagesWaitForEachOther) {
  GivenOrder order = small();
  std::swap(order.tasks.value[1], order.tasks.value[2]);
  std::swap(order.tasks.value[5], order.tasks.value[6]);
  expect_flaw(order, 1, 1, "stage 1 deadlocks before F1");
}

TEST(GivenOrder, AdmitsItsOwnShapeOnly) {
  GivenOrder order = small();
  count_held(order);
  const Schedule plan = schedule_of(order);
  PipelineShape shape{.stages = 2, .chunks = 2, .microbatches = 2, .given = plan.given};
  EXPECT_FALSE(plan.refuses(shape));
  shape.microbatches = 3;
  EXPECT_STREQ(plan.refuses(shape).text, "the order of tasks is for another number of microbatches");
  shape = {.stages = 2, .chunks = 4, .microbatches = 2, .given = plan.given};
  EXPECT_STREQ(plan.refuses(shape).text, "the order of tasks is for another number of chunks per stage");
}

// Every schedule's order, spelled out, is right, holds what the schedule says and takes as long.
TEST(GivenOrder, RunsAsTheScheduleItWasTakenFrom) {
  std::int32_t checked = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    std::uint64_t drawn = 0;
    const auto pick = [&](std::size_t below) {
      return static_cast<std::int32_t>(draw(31, i, drawn++) % below);
    };
    const Schedule& plan = *schedule_table()[at(pick(schedule_table().size()))];
    const bool is_v = plan.place == place_v;
    if ((!is_v && plan.place != place_round_robin) || plan.copies > 1 || plan.mixes_backwards) continue;
    const std::int32_t stages = 1 + pick(6), laps = plan.interleaves ? (is_v ? 2 : 2 + pick(2)) : 1;
    std::vector<std::int32_t> stage_of(static_cast<std::size_t>(stages * laps));
    plan.place(stages, stages * laps, stage_of);
    PipelineShape shape{stages, stages * laps, stages * (1 + pick(4)), stage_of};
    if (plan.refuses(shape)) continue;
    std::vector<ChunkTimes> times;
    for (std::int32_t c = 0; c < stages * laps; ++c) {
      const SimTime f(100 + pick(40)), b(90 + pick(60)), w(50 + pick(80));
      times.push_back({f, b, w, SimTime(0), b + w});
    }
    GivenOrder order{.name = "given",
                     .placement = is_v ? Placement::v : Placement::round_robin,
                     .splits_backward = plan.splits_backward,
                     .stages = stages,
                     .chunks_per_stage = laps,
                     .microbatches = shape.microbatches};
    order_of(plan, shape, times, order.tasks);
    ASSERT_EQ(flaw_of(order), std::nullopt) << plan.name;
    count_held(order);
    const Schedule given = schedule_of(order);
    PipelineScratch scratch;
    PipelineTimes own, same;
    compose_pipeline(shape, plan, times, {}, {}, scratch, own);
    for (std::int32_t s = 0; s < stages; ++s) {
      ASSERT_LE(order.held[at(s)], plan.in_flight(shape, s)) << plan.name;
      for (std::int32_t n = 0; n < laps; ++n) ASSERT_EQ(stage_of[at(chunk_on(order, s, n))], s) << plan.name;
    }
    shape.given = given.given;
    ASSERT_FALSE(given.refuses(shape));
    compose_pipeline(shape, given, times, {}, {}, scratch, same);
    ASSERT_EQ(same.end, own.end) << plan.name;
    ++checked;
  }
  EXPECT_GT(checked, 200);
}

}  // namespace
}  // namespace echo::timeline
