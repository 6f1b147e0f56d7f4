// The replay equals its slow twin to the picosecond, op by op.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/reference/replay_twin.hpp"
#include "tests/support/random_replay.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::timeline {
namespace {

TEST(ReplayTwin, AgreesOnEveryOpOfRandomRanks) {
  ReplayScratch scratch;  // shared on purpose
  ReplayPlan plan;
  std::int32_t meetings = 0, slowed = 0;
  for (std::uint64_t i = 0; i < (support::is_sanitized ? 600 : 3000); ++i) {
    const RandomReplay random(i);
    const auto slow = twin::simulate_replay(random.graph, random.alone, random.work, random.factors());
    plan_replay(random.graph, plan);
    const bool done = replay(random.graph, plan, {random.alone, random.work}, random.factors(), scratch);
    ASSERT_TRUE(slow.done) << random.describe();
    ASSERT_TRUE(done) << random.describe();
    ASSERT_EQ(slow.makespan, scratch.makespan) << random.describe();
    for (std::int32_t op = 0; op < random.graph.ops(); ++op) {
      const auto o = static_cast<std::size_t>(op);
      ASSERT_EQ(slow.start.at(op), scratch.start[o]) << random.describe() << " op " << op;
      ASSERT_EQ(slow.end.at(op), scratch.end[o]) << random.describe() << " op " << op;
      meetings += random.graph.meeting[o] >= 0;
      slowed +=
          random.graph.kind[o] != ReplayKind::wait && scratch.end[o] - scratch.start[o] > random.alone[o];
    }
    std::vector<PathStep> path;
    replay_path(random.graph, plan, scratch, path);
    SimTime length{};
    for (const PathStep& step : path) length += step.length;
    ASSERT_EQ(length, scratch.makespan) << random.describe();
  }
  EXPECT_GT(meetings, 2'000);
  EXPECT_GT(slowed, 2'000);
}

TEST(ReplayTwin, AgreesWhereTheNewestGoesFirst) {
  ReplayScratch scratch;
  ReplayPlan plan;
  std::int32_t changed = 0;
  for (std::uint64_t i = 0; i < (support::is_sanitized ? 300 : 3000); ++i) {
    const RandomReplay random(i);
    const auto slow = twin::simulate_replay(random.graph, random.alone, random.work, random.factors(), true);
    plan_replay(random.graph, plan);
    const bool done =
        replay(random.graph, plan, {random.alone, random.work, true}, random.factors(), scratch);
    ASSERT_EQ(slow.done, done) << random.describe();
    for (const auto& [op, end] : slow.end) {
      ASSERT_EQ(slow.start.at(op), scratch.start[at(op)]) << random.describe() << " op " << op;
      ASSERT_EQ(end, scratch.end[at(op)]) << random.describe() << " op " << op;
    }
    std::vector<PathStep> path;
    replay_path(random.graph, plan, scratch, path);
    SimTime length{};
    for (const PathStep& step : path) length += step.length;
    if (done) {
      ASSERT_EQ(length, scratch.makespan) << random.describe();
    }
    const std::vector<SimTime> newest = scratch.end;
    (void)replay(random.graph, plan, {random.alone, random.work}, random.factors(), scratch);
    changed += scratch.end == newest ? 0 : 1;
  }
  EXPECT_GT(changed, support::is_sanitized ? 10 : 100);
}

// Meetings in different orders: some of them can never be held.
TEST(ReplayTwin, AgreesOnWhatIsStuck) {
  ReplayScratch scratch;
  ReplayPlan plan;
  std::int32_t stuck = 0;
  for (std::uint64_t i = 0; i < (support::is_sanitized ? 500 : 1500); ++i) {
    const RandomReplay random(i, RandomReplay::Order::shuffled);
    const auto slow = twin::simulate_replay(random.graph, random.alone, random.work, random.factors());
    plan_replay(random.graph, plan);
    const bool done = replay(random.graph, plan, {random.alone, random.work}, random.factors(), scratch);
    ASSERT_EQ(slow.done, done) << random.describe();
    ASSERT_EQ(done, scratch.stuck.empty());
    stuck += done ? 0 : 1;
    for (const std::int32_t op : scratch.stuck) ASSERT_EQ(slow.end.count(op), 0U) << random.describe();
  }
  EXPECT_GT(stuck, 60);
  EXPECT_LT(stuck, 1400);
}

TEST(ReplayTwin, NoticesOnePicosecondMore) {
  ReplayScratch scratch;
  ReplayPlan plan;
  std::int32_t checked = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    RandomReplay random(i);
    const std::int32_t ops = random.graph.ops();
    if (ops == 0) continue;
    const auto slow = twin::simulate_replay(random.graph, random.alone, random.work, random.factors());
    const auto op = static_cast<std::size_t>(static_cast<std::int32_t>(i) % ops);
    if (random.graph.kind[op] == ReplayKind::wait || random.graph.meeting[op] >= 0) continue;
    random.alone[op] += SimTime(1);
    plan_replay(random.graph, plan);
    ASSERT_TRUE(replay(random.graph, plan, {random.alone, random.work}, random.factors(), scratch));
    ASSERT_NE(slow.end.at(static_cast<std::int32_t>(op)), scratch.end[op]) << random.describe();
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace echo::timeline
