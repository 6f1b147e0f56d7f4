// The composer runs zero-bubble orders as the slow twin does, event by event, to the picosecond.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "tests/reference/pipeline_twin_checks.hpp"

namespace echo::timeline {
namespace {

// A random zero-bubble pipeline, a pure function of its number.
struct SplitCase {
  explicit SplitCase(std::uint64_t number) : number_(number) {
    const char* const names[] = {"zb-h1", "zb-h2", "zb-1p", "zb-2p", "zb-v", "v-half", "v-min"};
    plan = schedule_table()[at(find_named(schedule_table(), names[pick(7)]))];
    const std::int32_t stages = 1 + pick(7), chunks = stages * (plan->interleaves ? 2 : 1);
    stage_of.resize(at(chunks));
    plan->place(stages, chunks, stage_of);
    shape = {stages, chunks, 1 + pick(pick(8) == 0 ? 60 : 14), stage_of};
    const std::int32_t style = pick(4);  // all equal; nearly equal; anything; many ties and zeros
    const auto time = [&](std::int64_t usual) {
      if (style == 0) return SimTime(usual);
      if (style == 1) return SimTime(usual + pick(3));
      if (style == 2) return SimTime(1 + pick(1'000'000));
      return SimTime(pick(4));
    };
    for (std::int32_t c = 0; c < chunks; ++c) {
      ChunkTimes each{time(1000), time(1300), time(700), time(1000), time(2000)};
      if (pick(2) == 0) each.gathered = pick(4) * time(1000), each.last_backward += time(500);
      times.push_back(each);
      data.push_back({time(200), time(3000), time(900)});
    }
    if (pick(2) == 0) data.clear();
    for (std::int32_t c = 0; c + 1 < chunks; ++c) forward.push_back(time(90)), backward.push_back(time(110));
    hops = {forward, backward, pick(2) == 0};
  }

  [[nodiscard]] twin::Orders orders() const {
    Csr<Task> rows;
    order_of(*plan, shape, times, rows);
    twin::Orders orders;
    for (std::int32_t s = 0; s < shape.stages; ++s)
      orders.emplace_back(rows.row(s).begin(), rows.row(s).end());
    return orders;
  }
  [[nodiscard]] twin::Result slow(const twin::Orders& orders) const {
    return twin::Simulator(shape, true, orders, times, hops, data).run();
  }
  [[nodiscard]] PipelineTimes fast(std::vector<PlacedTask>* placed = nullptr) const {
    static PipelineScratch scratch;  // shared on purpose: results must not depend on what it held
    PipelineTimes out;
    compose_pipeline(shape, *plan, times, hops, data, scratch, out, placed);
    return out;
  }
  [[nodiscard]] std::string describe() const {
    return "case " + std::to_string(number_) + ": " + plan->name + " p=" + std::to_string(shape.stages) +
           " m=" + std::to_string(shape.microbatches) + (hops.overlapped ? " overlapped" : " blocking");
  }

  const Schedule* plan = nullptr;
  std::vector<std::int32_t> stage_of;
  PipelineShape shape;
  std::vector<ChunkTimes> times;
  std::vector<DataLane> data;
  std::vector<SimTime> forward, backward;
  Hops hops;

 private:
  std::int32_t pick(std::int32_t below) {
    return static_cast<std::int32_t>(draw(2401, number_, drawn_++) % static_cast<std::uint64_t>(below));
  }
  std::uint64_t number_, drawn_ = 0;
};

TEST(ZeroBubbleTwin, AgreesOnEveryTaskOfRandomPipelines) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const SplitCase random(i);
    const twin::Result slow = random.slow(random.orders());
    std::vector<PlacedTask> placed;
    twin::expect_equal(slow, random.fast(&placed), random.describe());
    ASSERT_EQ(twin::sorted(slow.placed), twin::sorted(placed)) << random.describe();
    twin::expect_equal(slow, random.fast(), random.describe() + " repeating");
    if (HasFatalFailure()) return;
  }
}

TEST(ZeroBubbleTwin, NoticesAWeightGradientMovedToTheEnd) {
  std::int32_t checked = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const SplitCase random(i);
    twin::Orders orders = random.orders();
    auto& order = orders[i % orders.size()];
    const auto moved = std::find_if(order.begin(), order.end(),
                                    [](const Task& task) { return task.kind == TaskKind::backward_weight; });
    if (std::none_of(moved, order.end(), [&](const Task& task) { return task.kind != moved->kind; }))
      continue;
    if (random.times[at(moved->chunk)].backward_weight == SimTime(0)) continue;
    std::rotate(moved, moved + 1, order.end());
    std::vector<PlacedTask> placed;
    (void)random.fast(&placed);
    EXPECT_NE(twin::sorted(random.slow(orders).placed), twin::sorted(placed)) << random.describe();
    ++checked;
  }
  EXPECT_GT(checked, 50);
}

TEST(ZeroBubbleTwin, HoldsNoMoreThanStatedWhateverTheTimes) {
  std::int32_t full = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const SplitCase random(i);
    const twin::Orders orders = random.orders();
    for (std::int32_t s = 0; s < random.shape.stages; ++s) {
      std::int32_t held = 0, most = 0;
      for (const Task& task : orders[at(s)]) {
        if (task.kind == TaskKind::forward) most = std::max(most, ++held);
        if (task.kind == TaskKind::backward_weight) --held;
      }
      const std::int32_t stated = random.plan->in_flight(random.shape, s);
      ASSERT_LE(most, stated) << random.describe() << " stage " << s;
      full += most == stated ? 1 : 0;
    }
  }
  EXPECT_GT(full, 1000);  // the limit is used
}

// Both guarantees of order_planned hold for any times, since 1F1B with the weight gradient at once is among
// its candidates.
TEST(ZeroBubbleTwin, PlansAreNeverSlowerThan1f1bWhateverTheTimes) {
  const Schedule& plain = *schedule_table()[at(find_named(schedule_table(), "1f1b"))];
  std::int32_t checked = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    SplitCase random(i);
    const std::string name = random.plan->name;
    if (name != "zb-1p" && name != "zb-2p") continue;
    random.hops = {}, random.data.clear();
    for (ChunkTimes& each : random.times) {
      each.gathered = SimTime(0);
      each.last_backward = each.backward_input + each.backward_weight;
    }
    const PipelineTimes split = random.fast();
    random.plan = &plain;
    ASSERT_LE(split.end, random.fast().end) << name << " " << random.describe();
    ++checked;
  }
  EXPECT_GT(checked, 500);
}

}  // namespace
}  // namespace echo::timeline
