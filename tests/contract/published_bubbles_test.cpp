// Every schedule against what was published of it, under the publication's assumptions: equal stages, no
// transfers, forward, input gradient and weight gradient of the same length.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "base/named_table.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

struct Shape {
  std::int32_t stages, laps, microbatches, group = 0;
};

struct Outcome {
  std::int64_t bubble = 0;         // the step less the work of one stage
  std::int64_t longest_idle = 0;   // of a stage, between its first task and its last
  std::int64_t work = 0;           // of one stage
  std::vector<std::int32_t> held;  // [stages] most microbatch-chunks
};

constexpr std::int64_t t = 1200;  // one pass of one stage; chunks share it

Outcome run(std::string_view name, const Shape& of) {
  const Schedule& plan = *schedule_table()[static_cast<std::size_t>(find_named(schedule_table(), name))];
  const std::int32_t chunks = of.stages * of.laps;
  std::vector<std::int32_t> stage_of(static_cast<std::size_t>(chunks));
  plan.place(of.stages, chunks, stage_of);
  const PipelineShape shape{of.stages, chunks, of.microbatches, stage_of, of.group};
  EXPECT_FALSE(plan.refuses(shape)) << name;
  const SimTime pass(t / of.laps);
  const std::vector<ChunkTimes> times(stage_of.size(), {pass, pass, pass, SimTime(0), 2 * pass});
  PipelineScratch scratch;
  PipelineTimes out;
  std::vector<PlacedTask> placed;
  compose_pipeline(shape, plan, times, {}, {}, scratch, out, &placed);
  Outcome outcome{.work = 3 * t * of.microbatches};
  outcome.bubble = out.end.count() - outcome.work;
  for (std::int32_t stage = 0; stage < of.stages; ++stage) {
    std::int64_t first = out.end.count(), last = 0;
    std::int32_t held = 0, most = 0;
    for (const PlacedTask& one : placed) {
      if (one.stage != stage) continue;
      first = std::min(first, one.start.count()), last = std::max(last, one.end.count());
      if (one.task.kind == TaskKind::forward) most = std::max(most, ++held);
      if (one.task.kind == (plan.splits_backward ? TaskKind::backward_weight : TaskKind::backward)) --held;
    }
    outcome.longest_idle = std::max(outcome.longest_idle, last - first - outcome.work);
    outcome.held.push_back(most);
  }
  return outcome;
}

std::int32_t most(const std::vector<std::int32_t>& held) {
  return *std::max_element(held.begin(), held.end());
}

constexpr std::int32_t some_stages[] = {2, 3, 4, 6, 8, 12, 16};

// Narayanan et al., SC 2021, section 2.2.1: bubble (p - 1)(t_f + t_b), both; memory m and p microbatches.
TEST(PublishedBubbles, GPipeAnd1f1b) {
  for (const std::int32_t p : some_stages) {
    for (const std::int32_t m : {p, 3 * p, 64}) {
      EXPECT_EQ(run("gpipe", {p, 1, m}).bubble, (p - 1) * 3 * t);
      EXPECT_EQ(run("1f1b", {p, 1, m}).bubble, (p - 1) * 3 * t);
      EXPECT_EQ(most(run("gpipe", {p, 1, m}).held), m);
      EXPECT_EQ(most(run("1f1b", {p, 1, m}).held), std::min(p, m));
    }
  }
}

// Section 2.2.2: bubble (p - 1)(t_f + t_b) / v. Memory (v + 1 - 1 / p) p / v microbatches: Korthikanti et
// al., arXiv 2205.05198, section 4.2.3 (1 + (p - 1) / (p v) times p).
TEST(PublishedBubbles, Interleaved) {
  for (const std::int32_t p : some_stages) {
    for (const std::int32_t v : {2, 3, 4}) {
      for (const std::int32_t m : {2 * p, 5 * p}) {
        const Outcome found = run("interleaved", {p, v, m});
        EXPECT_EQ(v * found.bubble, (p - 1) * 3 * t) << p << " " << v << " " << m;
        EXPECT_EQ(most(found.held), p * v + p - 1) << p << " " << v << " " << m;
      }
    }
  }
}

// Groups of other sizes cost no more where no transfer takes time; they hold more (Megatron-LM,
// get_pp_rank_microbatches: (v - 1) g + 2 (p - 1) warm-up passes on the first stage).
TEST(PublishedBubbles, InterleavedByGroups) {
  for (const std::int32_t p : {2, 4, 8}) {
    for (const std::int32_t group : {p, p + 1, 2 * p}) {
      for (const std::int32_t left_over : {0, p}) {
        if (left_over >= group) continue;
        const Outcome found = run("interleaved", {p, 2, 4 * group + left_over, group});
        EXPECT_EQ(2 * found.bubble, (p - 1) * 3 * t) << p << " " << group << " " << left_over;
        EXPECT_EQ(most(found.held), group + 2 * (p - 1) + 1) << p << " " << group << " " << left_over;
      }
    }
  }
}

// Lamy-Poirier, arXiv 2211.05953, section 3.2 and table 4.1: looped placements divide the bubble by the laps,
// from as many microbatches as stages; breadth-first holds all of them.
TEST(PublishedBubbles, BreadthFirst) {
  for (const std::int32_t p : some_stages) {
    for (const std::int32_t v : {2, 3, 4}) {
      for (const std::int32_t m : {p, p + 1, 4 * p}) {
        const Outcome found = run("breadth-first", {p, v, m});
        EXPECT_EQ(v * found.bubble, (p - 1) * 3 * t) << p << " " << v << " " << m;
        EXPECT_EQ(most(found.held), v * m);
      }
    }
  }
}

// Qi et al., arXiv 2401.10241, table 2: bubble (p - 1)(T_F + T_B - T_W) with the memory of 1F1B, and
// (p - 1)(T_F + T_B - 2 T_W) with 2 p - 1 microbatches. Bubbles of zero-bubble schedules are of one stage,
// from its first task to its last (section 4: no stage waits for others at the optimizer); that of ZB-H1 ends
// with the first stage, which starts at zero.
TEST(PublishedBubbles, HandcraftedZeroBubble) {
  for (const std::int32_t p : some_stages) {
    for (const std::int32_t m : {2 * p, 3 * p, 80}) {
      const Outcome one = run("zb-h1", {p, 1, m}), two = run("zb-h2", {p, 1, m});
      EXPECT_EQ(one.longest_idle, (p - 1) * t) << p << " " << m;
      EXPECT_EQ(one.bubble, (p - 1) * t) << p << " " << m;
      EXPECT_EQ(one.held, std::vector<std::int32_t>(static_cast<std::size_t>(p), p)) << p << " " << m;
      EXPECT_EQ(two.longest_idle, 0) << p << " " << m;
      EXPECT_EQ(two.held, std::vector<std::int32_t>(static_cast<std::size_t>(p), 2 * p - 1)) << p << " " << m;
    }
  }
}

// sail-sg/zero-bubble-pipeline-parallelism, README: bubble rates (p - 1) / 3m for ZB1P and none for ZB2P and
// ZBV, with 1, 2 and 1 times the memory of 1F1B. The last two are used to the full.
TEST(PublishedBubbles, PlannedZeroBubble) {
  for (const std::int32_t p : some_stages) {
    for (const std::int32_t m : {2 * p, 3 * p, 80}) {
      const Outcome one = run("zb-1p", {p, 1, m}), two = run("zb-2p", {p, 1, m}), v = run("zb-v", {p, 2, m});
      EXPECT_LE(one.longest_idle * 3 * m, (p - 1) * one.work) << p << " " << m;
      EXPECT_EQ(two.longest_idle, 0) << p << " " << m;
      EXPECT_EQ(v.longest_idle, 0) << p << " " << m;
      EXPECT_LE(most(one.held), p);
      EXPECT_LE(most(two.held), 2 * p);
      EXPECT_LE(most(v.held), 2 * p);
    }
  }
}

// Qi et al., arXiv 2405.15362; figures of the authors' demo page (huggingface.co/spaces/sail/
// pipeline-parallelism-with-controllable-memory): memory (p + 4) / 3 and (p + 2) / 2 microbatches, rounded
// down; bubble rates about 2 p / 3m and p / 2m, against p / m of 1F1B.
TEST(PublishedBubbles, ControllableMemory) {
  for (const std::int32_t p : some_stages) {
    for (const std::int32_t m : {4 * p, 80, 128}) {
      const Outcome least = run("v-min", {p, 2, m}), half = run("v-half", {p, 2, m});
      EXPECT_EQ(most(least.held), 2 * ((p + 4) / 3)) << p << " " << m;
      EXPECT_EQ(most(half.held), 2 * ((p + 2) / 2)) << p << " " << m;
      // Of p less one, as the first stage has it; to within one pass.
      EXPECT_LE(least.longest_idle, 2 * p * t) << p << " " << m;
      EXPECT_GE(least.longest_idle, 2 * (p - 1) * t - t) << p << " " << m;
      EXPECT_LE(2 * half.longest_idle, 3 * p * t) << p << " " << m;
      EXPECT_GE(2 * half.longest_idle, 3 * (p - 1) * t - 2 * t) << p << " " << m;
    }
  }
}

}  // namespace
}  // namespace echo::timeline
