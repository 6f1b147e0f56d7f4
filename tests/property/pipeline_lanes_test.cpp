// Pipelines whose cases run side by side as doubles take the times of the plain run in integers, and have its
// critical paths; where times are too late for doubles to be exact, they are run in integers instead.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "timeline/pipeline/pipeline.hpp"
#include "timeline/pipeline/program_steps.hpp"

namespace echo::timeline {
namespace {

struct Draws {
  std::uint64_t seed, number = 0;
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(draw(23, seed, number++) % static_cast<std::uint64_t>(limit));
  }
};

// A random pipeline of a schedule that has a program; `unit`: what its times are multiples of, ps.
struct Line {
  Line(std::uint64_t seed, std::int64_t unit) {
    Draws draws{seed};
    do {
      plan = schedule_table()[at(draws.below(std::ssize(schedule_table())))];
      const auto stages = static_cast<std::int32_t>((plan->interleaves ? 2 : 1) + draws.below(6));
      const auto laps = static_cast<std::int32_t>(plan->interleaves ? 2 + draws.below(3) : 1);
      stage_of.resize(at(stages * laps * plan->copies));
      plan->place(stages, static_cast<std::int32_t>(stage_of.size()), stage_of);
      shape = {stages, static_cast<std::int32_t>(stage_of.size()),
               static_cast<std::int32_t>(stages * (1 + draws.below(12))), stage_of};
    } while (plan->copies > 1 || plan->refuses(shape) || !has_program(*plan, shape));
    const auto some = [&](std::int64_t most) { return SimTime(unit * draws.below(most)); };
    for (std::int32_t c = 0; c < shape.chunks; ++c) {
      const SimTime f = some(100) + SimTime(unit * 900), b = some(200) + SimTime(unit * 1800);
      times.push_back({f, b / 2, b - b / 2, some(9000), b + some(900), b, f + some(300)});
      data.push_back({some(900), some(3000), some(800)});
      if (c > 0) forward.push_back(some(300)), backward.push_back(some(300));
    }
    overlapped = draws.below(2) == 0;
  }
  [[nodiscard]] Hops hops() const { return {forward, backward, overlapped}; }

  const Schedule* plan = nullptr;
  std::vector<std::int32_t> stage_of;
  PipelineShape shape;
  std::vector<ChunkTimes> times;
  std::vector<DataLane> data;
  std::vector<SimTime> forward, backward;
  bool overlapped = false;
};

// Returns whether a program ran.
bool expect_same_as_plain(const Line& line, PipelineScratch& scratch, Trail& trail) {
  PipelineTimes found, expected;
  compose_pipeline(line.shape, *line.plan, line.times, line.hops(), line.data, scratch, found, nullptr, {},
                   &trail);
  PipelineScratch plain;
  Trail plain_trail;
  std::vector<PlacedTask> placed;
  compose_pipeline(line.shape, *line.plan, line.times, line.hops(), line.data, plain, expected, &placed, {},
                   &plain_trail);
  EXPECT_EQ(found.end, expected.end) << line.plan->name;
  EXPECT_TRUE(found.stages == expected.stages) << line.plan->name;
  EXPECT_FALSE(plain_trail.of_program);
  for (std::int32_t stage = 0; stage < line.shape.stages; ++stage) {
    PipelinePath path, own;
    find_path(line.shape, *line.plan, trail, scratch, found.stages[at(stage)], stage, path);
    find_path(line.shape, *line.plan, plain_trail, plain, expected.stages[at(stage)], stage, own);
    EXPECT_TRUE(path.legs == own.legs && path.data == own.data && path.gathered == own.gathered)
        << line.plan->name << " stage " << stage;
  }
  return trail.of_program;
}

TEST(PipelineLanes, TakeTheTimesOfThePlainRun) {
  PipelineScratch scratch;
  Trail trail;
  int programs = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    programs += expect_same_as_plain(Line(seed, seed % 3 == 0 ? 1 : 1'000'003), scratch, trail) ? 1 : 0;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(programs, 1000);  // one chunk alone needs none
}

TEST(PipelineLanes, LeaveTimesThatDoublesDoNotHoldToIntegers) {
  PipelineScratch scratch;
  Trail trail;
  int programs = 0, others = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Line line(seed, (std::int64_t{1} << 53) / 90'001 + static_cast<std::int64_t>(seed));
    ++(expect_same_as_plain(line, scratch, trail) ? programs : others);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(programs, 50);
  EXPECT_GT(others, 50);
}

TEST(Divisor, DividesAsIntegersDo) {
  Draws draws{5};
  for (int i = 0; i < 200'000; ++i) {
    const auto divisor = static_cast<std::int32_t>(1 + draws.below(i % 2 == 0 ? 2000 : 0x7fffffff));
    const Divisor by(divisor);
    const auto number = static_cast<std::int32_t>(draws.below(0x80000000));
    ASSERT_EQ(by.quotient(number), number / divisor) << number << " / " << divisor;
    for (const std::int64_t near : {-1, 0, 1}) {
      const std::int64_t multiple = std::int64_t{number} / divisor * divisor + near;
      if (multiple < 0) continue;
      ASSERT_EQ(by.quotient(static_cast<std::int32_t>(multiple)), multiple / divisor);
    }
    ASSERT_EQ(by.quotient(0x7fffffff), 0x7fffffff / divisor);
  }
}

}  // namespace
}  // namespace echo::timeline
