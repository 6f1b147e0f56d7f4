// Plans of many microbatches, folded, against the same plans played in full.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "timeline/patterns/planned.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

const Schedule& schedule(std::string_view name) {
  return *schedule_table()[at(find_named(schedule_table(), name))];
}

// A pipeline of many microbatches whose stages differ, a pure function of its number.
struct Line {
  explicit Line(std::uint64_t number) {
    std::uint64_t drawn = 0;
    const auto pick = [&](std::int64_t below) {
      return static_cast<std::int64_t>(draw(512, number, drawn++) % static_cast<std::uint64_t>(below));
    };
    const char* const names[] = {"zb-1p", "zb-2p", "zb-v"};
    plan = &schedule(names[pick(3)]);
    const auto stages = static_cast<std::int32_t>(2 + pick(11)), laps = plan->interleaves ? 2 : 1;
    stage_of.resize(at(stages * laps));
    plan->place(stages, stages * laps, stage_of);
    shape = {stages, stages * laps, static_cast<std::int32_t>(stages * (6 + pick(20)) + pick(9)), stage_of};
    // Layers are alike; the first and the last chunk hold more, some a layer less or more; or all differ.
    const std::int64_t style = pick(4), f = 1'000'000, b = f * (7 + pick(14)) / 10,
                       w = f * (4 + pick(9)) / 10;
    for (std::int32_t c = 0; c < stages * laps; ++c) {
      std::int64_t part = 1000;
      if (style >= 1 && c == 0) part += pick(80);
      if (style >= 1 && c == stages * laps - 1) part += pick(400);
      if (style >= 2 && pick(4) == 0) part += pick(2) == 0 ? 125 : -125;
      if (style == 3) part += pick(100);
      const SimTime forward(f * part / 1000), input(b * part / 1000), weight(w * part / 1000);
      times.push_back({forward, input, weight, SimTime(0), input + weight});
    }
  }
  [[nodiscard]] std::string describe() const {
    return std::string(plan->name) + " p=" + std::to_string(shape.stages) +
           " m=" + std::to_string(shape.microbatches);
  }
  // Longest turn of a stage, from its first task to its last, without transfers.
  [[nodiscard]] double turn(const Csr<Task>& order) const {
    static const Csr<Task>* given;
    given = &order;
    Schedule fixed = *plan;
    fixed.plan = [](const PipelineShape&, std::span<const ChunkTimes>, Csr<Task>& out) { out = *given; };
    PipelineScratch scratch;
    PipelineTimes out;
    std::vector<PlacedTask> placed;
    compose_pipeline(shape, fixed, times, {}, {}, scratch, out, &placed);
    std::vector<SimTime> first(static_cast<std::size_t>(shape.stages), out.end), last(first.size());
    for (const PlacedTask& task : placed) {
      const std::size_t s = at(task.stage);
      first[s] = std::min(first[s], task.start), last[s] = std::max(last[s], task.end);
    }
    SimTime longest{};
    for (std::size_t s = 0; s < first.size(); ++s) longest = std::max(longest, last[s] - first[s]);
    return to_seconds(longest);
  }
  [[nodiscard]] Csr<Task> order(Folding folding) const {
    const Folding before = folding_of_plans;
    folding_of_plans = folding;
    Csr<Task> out;
    order_of(*plan, shape, times, out);
    folding_of_plans = before;
    return out;
  }

  const Schedule* plan;
  std::vector<std::int32_t> stage_of;
  PipelineShape shape;
  std::vector<ChunkTimes> times;
};

// Measured: 0.02 % on average, 1.7 % at most, 9 orders in 10 the same.
TEST(PlannedFold, TurnsLastAboutAsLongAsThoseOfPlansPlayedInFull) {
  constexpr std::int32_t cases = 1500;
  std::int32_t same = 0, long_plays = 0;
  double sum = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(cases); ++i) {
    const Line line(i);
    const Csr<Task> folded = line.order(Folding::on), full = line.order(Folding::off);
    ASSERT_EQ(folded.value.size(), full.value.size()) << line.describe();
    const double longer = line.turn(folded) / line.turn(full) - 1.0;
    ASSERT_LT(longer, 0.02) << line.describe();
    sum += longer;
    same += folded.value == full.value ? 1 : 0;
    long_plays += plays_are_long(line.shape) ? 1 : 0;
  }
  EXPECT_LT(sum / cases, 0.0005);
  EXPECT_GT(same, cases * 4 / 5);
  EXPECT_GT(long_plays, cases / 4);
}

TEST(PlannedFold, RunsEveryTaskOnceInOrderWithinItsMemory) {
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Line line(i);
    const Csr<Task> order = line.order(Folding::on);
    for (std::int32_t stage = 0; stage < line.shape.stages; ++stage) {
      std::map<std::pair<TaskKind, ChunkId>, std::int32_t> next;
      std::int32_t held = 0;
      for (const Task& task : order.row(stage)) {
        ASSERT_EQ(task.microbatch.index(), (next[{task.kind, task.chunk}]++)) << line.describe();
        held += task.kind == TaskKind::forward ? 1 : task.kind == TaskKind::backward_weight ? -1 : 0;
        ASSERT_LE(held, line.plan->in_flight(line.shape, stage)) << line.describe();
      }
      for (const auto& [leg, count] : next) ASSERT_EQ(count, line.shape.microbatches) << line.describe();
    }
  }
}

}  // namespace
}  // namespace echo::timeline
