// Replay against block.cpp where it must agree, and closed forms.
#include "timeline/replay/replay.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/random_block.hpp"
#include "tests/support/random_replay.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

struct Op {
  ReplayKind kind = ReplayKind::kernel;
  std::int64_t alone = 0;
  std::int32_t lane = 0;
  std::vector<std::int32_t> needs;  // within the rank
  std::int32_t meeting = -1, launch = -1;
  std::int64_t gap = 0;
  TimeCategory part = TimeCategory::forward;
};

struct Ranks {
  explicit Ranks(const std::vector<std::vector<Op>>& ranks) {
    for (const auto& ops : ranks) {
      const std::int32_t first = graph.ops();
      for (const Op& op : ops) {
        graph.kind.push_back(op.kind), graph.lane.push_back(op.lane), graph.part.push_back(op.part);
        graph.gap.emplace_back(op.gap), graph.meeting.push_back(op.meeting),
            graph.launch.push_back(op.launch);
        for (const std::int32_t need : op.needs) graph.needs.push(first + need);
        graph.needs.close_row();
        alone.emplace_back(op.alone), work.push_back(WorkId::none());
      }
      graph.rank_begin.push_back(first + static_cast<std::int32_t>(ops.size()));
    }
  }
  bool run(bool newest_first = false) {
    ReplayPlan plan;
    plan_replay(graph, plan);
    return replay(graph, plan, {alone, work, newest_first}, {}, ran);
  }
  [[nodiscard]] std::int64_t end(std::int32_t op) const { return ran.end[at(op)].count(); }
  [[nodiscard]] std::int64_t exposed(std::int32_t rank, TimeCategory part) const {
    return ran.ranks[at(rank)].exposed[at(part)].count();
  }

  ReplayGraph graph;
  std::vector<SimTime> alone;
  std::vector<WorkId> work;
  ReplayScratch ran;
};

constexpr auto comm = ReplayKind::communication;
constexpr auto kernel = ReplayKind::kernel;
constexpr auto wait = ReplayKind::wait;

// Backward of three layers, each with a gradient to reduce, and the first layer's forward of the next pass,
// which waits for the gradient that came last.
TEST(Replay, LetsTheNewestGradientGoFirst) {
  const auto op = [](ReplayKind kind, std::int64_t alone, std::vector<std::int32_t> needs) {
    Op made{};
    made.kind = kind, made.lane = -1, made.alone = alone, made.needs = std::move(needs);
    return made;
  };
  Ranks one({{op(kernel, 10, {}), op(comm, 50, {0}), op(kernel, 10, {0}), op(comm, 50, {2}),
              op(kernel, 10, {2}), op(comm, 50, {4}), op(kernel, 10, {5}), op(kernel, 10, {3, 6})}});
  ASSERT_TRUE(one.run());
  EXPECT_EQ(one.end(6), 10 + 3 * 50 + 10);
  EXPECT_EQ(one.end(7), 10 + 3 * 50 + 20);
  ASSERT_TRUE(one.run(true));
  EXPECT_EQ(one.end(6), 10 + 2 * 50 + 10);
  EXPECT_EQ(one.end(7), 10 + 3 * 50 + 10);
}

TEST(Replay, OfOneRankInOrderEqualsTheBlockToThePicosecond) {
  BlockScratchData block_scratch;
  ReplayScratch scratch;
  ReplayPlan plan;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const RandomBlock block(i);
    ReplayGraph graph;
    std::vector<SimTime> alone;
    const auto ops = static_cast<std::int32_t>(block.lane.size());
    for (std::int32_t op = 0; op < ops; ++op) {
      graph.kind.push_back(block.lane[at(op)] == Lane::compute ? kernel : comm);
      graph.lane.push_back(static_cast<std::int32_t>(block.lane[at(op)]));
      alone.push_back(block.alone[at(block.work[at(op)])]);
    }
    graph.part = block.part;
    graph.needs.offset = block.needs.offset;
    for (const OpId need : block.needs.value) graph.needs.value.push_back(need.index());
    graph.gap.resize(at(ops)), graph.meeting.assign(at(ops), -1), graph.launch.assign(at(ops), -1);
    graph.rank_begin.push_back(ops);
    plan_replay(graph, plan);
    ASSERT_TRUE(replay(graph, plan, {alone, block.work}, block.factors(), scratch));
    const BlockTimes times = compose_block(block.view(), block.alone, block.factors(), block_scratch);
    ASSERT_EQ(scratch.start, block_scratch.start) << block.describe();
    ASSERT_EQ(scratch.end, block_scratch.end) << block.describe();
    const RankReplay& rank = scratch.ranks[0];
    ASSERT_EQ(rank.compute_busy, times.compute_busy) << block.describe();
    ASSERT_EQ(rank.slowdown_penalty, times.slowdown_penalty) << block.describe();
    SimTime lag{};
    for (const SimTime time : times.lag) lag = std::max(lag, time);
    ASSERT_EQ(scratch.makespan, times.makespan + lag) << block.describe();
    if (lag == SimTime::zero()) {
      ASSERT_EQ(rank.exposed, times.exposed) << block.describe();
    }
  }
}

TEST(Replay, SplitsEveryRanksMakespanExactly) {
  ReplayScratch scratch;
  ReplayPlan plan;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const RandomReplay random(i);
    plan_replay(random.graph, plan);
    ASSERT_TRUE(replay(random.graph, plan, {random.alone, random.work}, random.factors(), scratch));
    for (const RankReplay& rank : scratch.ranks) {
      SimTime sum{};
      for (const SimTime time : rank.exposed) {
        ASSERT_GE(time, SimTime::zero()) << random.describe();
        sum += time;
      }
      ASSERT_EQ(sum, scratch.makespan) << random.describe();
    }
  }
}

TEST(Replay, AMeetingBeginsWithItsLastRankAndEndsForAll) {
  Ranks ranks({{{.alone = 5}, {.kind = comm, .alone = 7, .lane = 1, .needs = {0}, .meeting = 0}},
               {{.alone = 20}, {.kind = comm, .alone = 9, .lane = 1, .needs = {0}, .meeting = 0}}});
  ASSERT_TRUE(ranks.run());
  EXPECT_EQ(ranks.end(1), 29);
  EXPECT_EQ(ranks.end(3), 29);
  EXPECT_EQ(ranks.exposed(0, TimeCategory::bubble), 15);
}

TEST(Replay, AWaitHoldsUpTheHost) {
  Ranks ranks({{{.alone = 10},
                {.kind = wait, .needs = {0}, .gap = 2},
                {.alone = 1, .lane = 3, .gap = 4},
                {.alone = 1, .lane = 4}}});
  ASSERT_TRUE(ranks.run());
  EXPECT_EQ(ranks.end(1), 10);
  EXPECT_EQ(ranks.end(2), 15);
  EXPECT_EQ(ranks.end(3), 15);
  EXPECT_EQ(ranks.exposed(0, TimeCategory::other), 4);
}

TEST(Replay, GapsHoldUpAGpuThatIsFaster) {
  Ranks ranks(
      {{{.alone = 1, .gap = 5}, {.alone = 1, .gap = 5}, {.alone = 100, .gap = 5}, {.alone = 1, .gap = 5}}});
  ASSERT_TRUE(ranks.run());
  EXPECT_EQ(ranks.ran.makespan.count(), 116);
  EXPECT_EQ(ranks.exposed(0, TimeCategory::other), 13);
}

TEST(Replay, WithoutLanesOneOfAKindRunsAtATimeInOrderOfIssue) {
  Ranks ranks({{{.alone = 10, .lane = -1},
                {.alone = 3, .lane = -1, .needs = {3 - 3}},
                {.alone = 5, .lane = -1},
                {.kind = comm, .alone = 4, .lane = -1},
                {.kind = comm, .alone = 4, .lane = -1}}});
  ASSERT_TRUE(ranks.run());
  EXPECT_EQ(ranks.end(0), 10);
  EXPECT_EQ(ranks.end(1), 13);  // before op 2, which was ready long before
  EXPECT_EQ(ranks.end(2), 18);
  EXPECT_EQ(ranks.end(4), 8);
}

TEST(Replay, ALaunchRunsSideBySideAndHoldsTheLane) {
  // Both ranks send and receive in one launch, in different orders.
  Ranks ranks({{{.kind = comm, .alone = 5, .meeting = 0, .launch = 0},
                {.kind = comm, .alone = 6, .meeting = 1, .launch = 0},
                {.alone = 1}},
               {{.kind = comm, .alone = 6, .meeting = 1, .launch = 7},
                {.kind = comm, .alone = 5, .meeting = 0, .launch = 7}}});
  ASSERT_TRUE(ranks.run());
  EXPECT_EQ(ranks.end(0), 5);
  EXPECT_EQ(ranks.end(1), 6);
  EXPECT_EQ(ranks.end(2), 7);
}

TEST(Replay, NamesTheOpsThatWaitForEachOther) {
  Ranks ranks(
      {{{.kind = comm, .alone = 5, .meeting = 0}, {.kind = comm, .alone = 5, .meeting = 1}},
       {{.alone = 3}, {.kind = comm, .alone = 5, .meeting = 1}, {.kind = comm, .alone = 5, .meeting = 0}}});
  ASSERT_FALSE(ranks.run());
  EXPECT_EQ(ranks.ran.stuck, (std::vector<std::int32_t>{0, 3}));
}

// Stages of equal forwards and backwards, activations and gradients sent along: 1F1B as it would be traced.
std::vector<std::vector<Op>> one_f_one_b(std::int32_t stages, std::int32_t microbatches, std::int64_t forward,
                                         std::int64_t backward, std::int64_t hop) {
  std::vector<std::vector<Op>> ranks(at(stages));
  const auto meeting = [&](std::int32_t from, std::int32_t microbatch, bool back) {
    return ((back ? stages : 0) + from) * microbatches + microbatch;
  };
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    auto& ops = ranks[at(stage)];
    const auto pass = [&](std::int32_t i, bool back) {
      const bool receives = back ? stage < stages - 1 : stage > 0,
                 sends = back ? stage > 0 : stage < stages - 1;
      if (receives)
        ops.push_back({.kind = comm,
                       .alone = hop,
                       .lane = back ? 1 : 2,
                       .meeting = meeting(back ? stage + 1 : stage - 1, i, back),
                       .part = TimeCategory::pp_comm});
      const auto received = static_cast<std::int32_t>(ops.size()) - 1;
      ops.push_back({.alone = back ? backward : forward,
                     .part = back ? TimeCategory::backward : TimeCategory::forward});
      if (receives) ops.back().needs = {received};
      const auto computed = static_cast<std::int32_t>(ops.size()) - 1;
      if (sends)
        ops.push_back({.kind = comm,
                       .alone = hop,
                       .lane = back ? 3 : 4,
                       .needs = {computed},
                       .meeting = meeting(stage, i, back),
                       .part = TimeCategory::pp_comm});
    };
    const std::int32_t warm_up = std::min(stages - 1 - stage, microbatches);
    for (std::int32_t i = 0; i < warm_up; ++i) pass(i, false);
    for (std::int32_t i = 0; i < microbatches; ++i) {
      if (i + warm_up < microbatches) pass(i + warm_up, false);
      pass(i, true);
    }
  }
  return ranks;
}

TEST(Replay, OfTracedStagesHasTheBubbleOfOneFOneB) {
  for (const std::int32_t stages : {2, 3, 4, 8}) {
    for (const std::int32_t microbatches : {1, 2, 8, 33}) {
      Ranks ranks(one_f_one_b(stages, microbatches, 100, 200, 0));
      ASSERT_TRUE(ranks.run());
      const std::int64_t bubble = (stages - 1) * 300;
      EXPECT_EQ(ranks.ran.makespan.count(), microbatches * 300 + bubble);
      for (std::int32_t stage = 0; stage < stages; ++stage)
        EXPECT_EQ(ranks.exposed(stage, TimeCategory::bubble), bubble);
    }
  }
}

TEST(Replay, OfTracedStagesEqualsTheComposedPipeline) {
  const Schedule* schedule = nullptr;
  for (const Schedule* row : schedule_table())
    if (std::string_view(row->name) == "1f1b") schedule = row;
  ASSERT_NE(schedule, nullptr);
  for (const std::int32_t stages : {2, 4, 7}) {
    for (const std::int32_t microbatches : {8, 20}) {
      Ranks ranks(one_f_one_b(stages, microbatches, 100, 190, 7));
      ASSERT_TRUE(ranks.run());
      std::vector<std::int32_t> stage_of(at(stages));
      schedule->place(stages, stages, stage_of);
      const PipelineShape shape{stages, stages, microbatches, stage_of, 0, false, schedule->copies};
      const std::vector<ChunkTimes> times(at(stages), {.forward = SimTime(100),
                                                       .backward_input = SimTime(190),
                                                       .last_backward = SimTime(190),
                                                       .first_forward = SimTime(100)});
      const std::vector<SimTime> hop(at(stages - 1), SimTime(7));
      PipelineScratch scratch;
      PipelineTimes out;
      compose_pipeline(shape, *schedule, times, {hop, hop, true}, {}, scratch, out);
      EXPECT_EQ(ranks.ran.makespan, out.end) << stages << " stages, " << microbatches << " microbatches";
    }
  }
}

}  // namespace
}  // namespace echo::timeline
