// Several sets of durations run at once take the times that each takes by itself.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

struct Draws {
  std::uint64_t seed, number = 0;
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(draw(11, seed, number++) % static_cast<std::uint64_t>(limit));
  }
};

// One set of durations.
struct Durations {
  std::vector<ChunkTimes> times;
  std::vector<DataLane> data;

  Durations(std::int32_t chunks, std::int64_t spread, Draws& draws) {
    for (std::int32_t c = 0; c < chunks; ++c) {
      const SimTime f(1'000'000 + draws.below(spread)), b(2'000'000 + draws.below(2 * spread));
      times.push_back({f, b / 2, b - b / 2, SimTime(draws.below(9'000'000)),
                       b + SimTime(draws.below(900'000)), b, f + SimTime(draws.below(300'000))});
      data.push_back(
          {SimTime(draws.below(900'000)), SimTime(draws.below(3'000'000)), SimTime(draws.below(800'000))});
    }
  }
};

TEST(PipelineCases, TakeTheTimesThatEachTakesAlone) {
  PipelineScratch together, alone;
  Trail trail, own_trail;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    Draws draws{i};
    const Schedule& plan = *schedule_table()[at(draws.below(std::ssize(schedule_table())))];
    const auto stages = static_cast<std::int32_t>((plan.interleaves ? 2 : 1) + draws.below(7));
    const auto laps = static_cast<std::int32_t>(plan.interleaves ? 2 + draws.below(3) : 1);
    const auto microbatches = static_cast<std::int32_t>(2 * stages * (1 + draws.below(20)));
    std::vector<std::int32_t> stage_of(at(stages * laps * plan.copies));
    plan.place(stages, static_cast<std::int32_t>(stage_of.size()), stage_of);
    const PipelineShape shape{
        stages, static_cast<std::int32_t>(stage_of.size()), microbatches, stage_of, 0, false, plan.copies};
    if (plan.refuses(shape)) continue;
    std::vector<SimTime> forward, backward;
    for (std::int32_t c = 1; c < shape.chunks; ++c)
      forward.emplace_back(draws.below(400'000)), backward.emplace_back(draws.below(400'000));
    const Hops hops{forward, backward, draws.below(2) == 0};
    std::vector<Durations> sets;
    const auto count = at(1 + draws.below(most_cases));
    for (std::size_t k = 0; k < count; ++k)
      sets.emplace_back(shape.chunks, draws.below(3) == 0 ? 1 : 500'000, draws);
    std::vector<PipelineTimes> found(count);
    std::vector<PipelineCase> cases;
    for (std::size_t k = 0; k < count; ++k) cases.push_back({sets[k].times, sets[k].data, {}, &found[k]});
    compose_pipelines(shape, plan, cases, hops, together, &trail);
    for (std::size_t k = 0; k < count; ++k) {
      PipelineTimes expected;
      compose_pipeline(shape, plan, sets[k].times, hops, sets[k].data, alone, expected, nullptr, {},
                       &own_trail);
      ASSERT_EQ(found[k].end, expected.end) << plan.name << " case " << i;
      ASSERT_TRUE(found[k].stages == expected.stages) << plan.name << " case " << i;
    }
    for (std::int32_t stage = 0; stage < stages; ++stage) {
      PipelinePath path, own;
      find_path(shape, plan, trail, together, found.back().stages[at(stage)], stage, path);
      find_path(shape, plan, own_trail, alone, found.back().stages[at(stage)], stage, own);
      ASSERT_TRUE(path.legs == own.legs && path.data == own.data) << plan.name << " case " << i;
    }
  }
}

}  // namespace
}  // namespace echo::timeline
