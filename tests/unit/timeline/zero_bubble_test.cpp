// What the zero-bubble papers promise, on equal stages without transfers.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/named_table.hpp"
#include "tests/support/sanitized.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

const Schedule& schedule(std::string_view name) {
  return *schedule_table()[static_cast<std::size_t>(find_named(schedule_table(), name))];
}

struct Outcome {
  std::int64_t end = 0;            // of the whole step
  std::int64_t most_idle = 0;      // of a stage, between its first and its last task
  std::int64_t work_of_stage = 0;  // the same on every stage
};

// f, b, w: of a whole stage; even, so that a schedule of two chunks a stage gives each half.
Outcome run(std::string_view name, std::int32_t stages, std::int32_t microbatches, std::int64_t f,
            std::int64_t b, std::int64_t w) {
  const Schedule& plan = schedule(name);
  const std::int32_t laps = plan.interleaves ? 2 : 1;
  std::vector<std::int32_t> stage_of(static_cast<std::size_t>(stages * laps));
  plan.place(stages, stages * laps, stage_of);
  const PipelineShape shape{stages, stages * laps, microbatches, stage_of};
  EXPECT_FALSE(plan.refuses(shape));
  const ChunkTimes each{SimTime(f / laps), SimTime(b / laps), SimTime(w / laps), SimTime(0),
                        SimTime((b + w) / laps)};
  const std::vector<ChunkTimes> times(stage_of.size(), each);
  PipelineScratch scratch;
  PipelineTimes out;
  std::vector<PlacedTask> placed;
  compose_pipeline(shape, plan, times, {}, {}, scratch, out, &placed);
  Outcome outcome{.end = out.end.count(), .work_of_stage = microbatches * (f + b + w)};
  for (std::int32_t s = 0; s < stages; ++s) {
    std::int64_t first = out.end.count(), last = 0;
    for (const PlacedTask& task : placed) {
      if (task.stage != s) continue;
      first = std::min(first, task.start.count());
      last = std::max(last, task.end.count());
    }
    outcome.most_idle = std::max(outcome.most_idle, last - first - outcome.work_of_stage);
  }
  return outcome;
}

constexpr std::int64_t t = 1'000'004;

// Table 2 of the paper; and no stage can begin its work before its first forward arrives.
TEST(ZbH1, BubbleIsForwardPlusBackwardLessWeightsForEachOtherStage) {
  const std::int64_t cases[][3] = {
      {t, t, t}, {1000, 1200, 700}, {1000, 2000, 1000}, {500, 1000, 200}, {1000, 1000, 1400}};
  for (const auto& [f, b, w] : cases) {
    for (const std::int32_t p : {1, 2, 3, 4, 8, 13}) {
      for (const std::int32_t m : {p, p + 1, 2 * p, 5 * p, 64}) {
        const Outcome found = run("zb-h1", p, m, f, b, w);
        EXPECT_EQ(found.end, found.work_of_stage + (p - 1) * std::max(f, f + b - w))
            << p << " " << m << " " << f << " " << b << " " << w;
      }
    }
  }
}

TEST(ZbH1, ThirdsTheBubbleOf1f1bWhereForwardBackwardAndWeightsTakeAsLong) {
  for (const std::int32_t p : {2, 4, 8}) {
    const Outcome plain = run("1f1b", p, 4 * p, t, t, t), split = run("zb-h1", p, 4 * p, t, t, t);
    EXPECT_EQ(plain.end - plain.work_of_stage, 3 * (split.end - split.work_of_stage));
  }
}

TEST(Zb1p, IsAsGoodAsZbH1) {
  const std::int64_t cases[][3] = {{t, t, t}, {1000, 1200, 700}, {1000, 2000, 1000}, {1000, 1000, 1400}};
  for (const auto& [f, b, w] : cases) {
    for (const std::int32_t p : {1, 2, 4, 8, 13}) {
      for (const std::int32_t m : {1, 3, p, 2 * p, 5 * p}) {
        const Outcome planned = run("zb-1p", p, m, f, b, w), fixed = run("zb-h1", p, m, f, b, w);
        EXPECT_LE(planned.end, fixed.end) << p << " " << m;
        EXPECT_LE(planned.most_idle, fixed.most_idle) << p << " " << m;
      }
    }
  }
}

// A stage then works without pause from its first forward, which is there after (p - 1) F, to its last
// weight gradient: the step is m (F + B + W) for each stage and the fill once.
TEST(Zb2p, HasNoBubbleFromTwiceAsManyMicrobatchesAsStages) {
  for (const std::int32_t p : {1, 2, 3, 4, 7, 8, 13, 16}) {
    for (const std::int32_t m : {2 * p, 2 * p + 1, 3 * p, 8 * p}) {
      const Outcome found = run("zb-2p", p, m, t, t, t);
      EXPECT_EQ(found.most_idle, 0) << p << " " << m;
      EXPECT_EQ(found.end, found.work_of_stage + (p - 1) * t) << p << " " << m;
    }
  }
}

// The last stage begins after (p - 1) F and can keep back 2 p weight gradients at most until its last B; the
// first stage's last B comes p - 2 B later, and its own B and W follow.
std::int64_t least_bubble_2p(std::int64_t p, std::int64_t f, std::int64_t b, std::int64_t w) {
  return std::max<std::int64_t>(0, (p - 1) * (f + b) - (2 * p - 1) * w);
}

// Where W is short, memory for 2 p weight gradients no longer spans the drain: table 2, ZB-H2.
TEST(Zb2p, BubbleIsAtMostForwardPlusBackwardLessTwiceWeightsForEachOtherStage) {
  const std::int64_t cases[][3] = {
      {1000, 1000, 500}, {1000, 1200, 700}, {1000, 1300, 900}, {1000, 2000, 1000}};
  for (const auto& [f, b, w] : cases) {
    for (const std::int32_t p : {2, 4, 8, 16}) {
      for (const std::int32_t m : {2 * p, 3 * p, 8 * p}) {
        const Outcome found = run("zb-2p", p, m, f, b, w);
        EXPECT_LE(found.most_idle, (p - 1) * (f + b - 2 * w)) << p << " " << m << " " << f << " " << b;
        EXPECT_GE(found.most_idle, least_bubble_2p(p, f, b, w)) << p << " " << m << " " << f << " " << b;
      }
    }
  }
}

TEST(Zb2p, ReachesTheLeastBubbleItsMemoryAllowsWhereTimesAreMultiplesOfTheShortest) {
  const std::int64_t cases[][3] = {{1000, 1000, 500}, {1000, 2000, 1000}, {1000, 1000, 1000}};
  for (const auto& [f, b, w] : cases) {
    for (const std::int32_t p : {2, 4, 8, 16}) {
      for (const std::int32_t m : {2 * p, 3 * p, 8 * p})
        EXPECT_EQ(run("zb-2p", p, m, f, b, w).most_idle, least_bubble_2p(p, f, b, w)) << p << " " << m;
    }
  }
}

TEST(ZbV, EndsWhenTheLastStageHasWorkedWithoutPause) {
  for (const std::int64_t w : {t, t / 2}) {
    for (const std::int32_t p : {1, 2, 3, 4, 7, 8, 13, 16}) {
      for (const std::int32_t m : {p, p + 1, 2 * p, 3 * p, 8 * p}) {
        const Outcome found = run("zb-v", p, m, t, t, w);
        EXPECT_EQ(found.end, found.work_of_stage + (p - 1) * t / 2) << p << " " << m << " " << w;
      }
    }
  }
}

TEST(ZbV, HasNoBubbleFromTwiceAsManyMicrobatchesAsStages) {
  for (const std::int32_t p : {1, 2, 3, 4, 7, 8, 13, 16}) {
    for (const std::int32_t m : {2 * p, 2 * p + 1, 3 * p, 8 * p})
      EXPECT_EQ(run("zb-v", p, m, t, t, t).most_idle, 0) << p << " " << m;
  }
}

// Building blocks settle into full rounds for any number of stages, so the cost does not grow with
// microbatches.
TEST(ControllableMemory, RepeatsForAnyNumberOfStages) {
  for (const char* name : {"v-half", "v-min"}) {
    const Schedule& plan = schedule(name);
    for (std::int32_t p = 1; p <= 72; ++p) {
      std::vector<std::int32_t> stage_of(static_cast<std::size_t>(2 * p));
      plan.place(p, 2 * p, stage_of);
      const PipelineShape shape{p, 2 * p, 1000, stage_of};
      EXPECT_GT(plan.steady(shape, 0).repeats, 1000 - 3 * p - 5) << name << " " << p;
      EXPECT_LE(plan.in_flight(shape, 0), 2 * (name[2] == 'h' ? (p + 2) / 2 : (p + 4) / 3))
          << name << " " << p;
    }
  }
}

TEST(ZeroBubble, IsNeverSlowerThan1f1b) {
  std::int32_t faster = 0;
  const std::vector<std::int64_t> backwards =
      support::is_sanitized ? std::vector<std::int64_t>{700}
                            : std::vector<std::int64_t>{400, 700, 1000, 1200, 2000, 3000};
  for (const char* name : {"zb-h1", "zb-1p", "zb-2p", "zb-v"}) {
    for (const std::int64_t b : backwards) {
      for (const std::int64_t w : {100, 300, 500, 700, 1000, 1400}) {
        for (const std::int32_t p : {1, 2, 3, 4, 6, 8}) {
          for (const std::int32_t m : {1, 2, 3, p, 2 * p, 4 * p, 9 * p}) {
            const Outcome plain = run("1f1b", p, m, 1000, b, w), split = run(name, p, m, 1000, b, w);
            ASSERT_LE(split.end, plain.end) << name << " " << p << " " << m << " " << b << " " << w;
            faster += split.end < plain.end ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(faster, support::is_sanitized ? 100 : 1000);
}

}  // namespace
}  // namespace echo::timeline
