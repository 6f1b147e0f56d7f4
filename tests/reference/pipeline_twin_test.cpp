// The fast pipeline composer equals its slow twin to the picosecond, and a fault in either would show.
#include <gtest/gtest.h>

#include <optional>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "tests/reference/pipeline_twin_checks.hpp"

namespace echo::timeline {
namespace {

// A random pipeline, a pure function of its number.
struct Case {
  explicit Case(std::uint64_t number) : number_(number) {
    const char* const names[] = {"1f1b", "gpipe", "interleaved", "breadth-first"};
    name = names[pick(4)];
    plan = schedule_table()[at(find_named(schedule_table(), name))];
    const bool laps = plan->interleaves;
    stages = laps ? 2 + pick(5) : 1 + pick(7);
    laps_of_stage = laps ? 2 + pick(3) : 1;
    const std::int32_t many = pick(8) == 0 ? 60 : 14;
    microbatches = laps ? stages * (1 + pick(many / 4)) : 1 + pick(many);
    const std::int32_t chunks = stages * laps_of_stage;
    stage_of.resize(at(chunks));
    plan->place(stages, chunks, stage_of);
    shape = {stages, chunks, microbatches, stage_of};
    if (name == "interleaved" && pick(2) == 0) choose_group();
    const std::int32_t style =
        pick(4);  // all equal; nearly equal; anything; small numbers with many ties and zeros
    const auto time = [&](std::int64_t usual) {
      if (style == 0) return SimTime(usual);
      if (style == 1) return SimTime(usual + pick(3));
      if (style == 2) return SimTime(1 + pick(1'000'000));
      return SimTime(pick(4));
    };
    for (std::int32_t c = 0; c < chunks; ++c) {
      ChunkTimes t{time(1000), time(1300), time(700), time(1000), time(2000)};
      if (pick(2) == 0) t.gathered = pick(4) * time(1000), t.last_backward += time(500);
      times.push_back(t);
      if (pick(3) > 0) data.resize(times.size()), data.back() = {time(200), time(3000), time(900)};
    }
    data.resize(pick(2) == 0 ? 0 : times.size());
    const bool hopless = pick(4) == 0;
    for (std::int32_t c = 0; c + 1 < chunks; ++c) {
      forward.push_back(hopless ? SimTime(0) : time(90));
      backward.push_back(hopless ? SimTime(0) : time(110));
    }
    hops = {forward, backward, pick(2) == 0};
  }

  [[nodiscard]] twin::Orders twin_orders() const {
    return twin::orders_of(name, stages, laps_of_stage, microbatches, shape.microbatch_group);
  }
  [[nodiscard]] twin::Result slow(const twin::Orders& orders) const {
    return twin::Simulator(shape, plan->splits_backward, orders, times, hops, data).run();
  }
  [[nodiscard]] PipelineTimes fast(std::vector<PlacedTask>* placed = nullptr) const {
    static PipelineScratch scratch;  // shared on purpose: results must not depend on what it held
    PipelineTimes out;
    compose_pipeline(shape, *plan, times, hops, data, scratch, out, placed);
    return out;
  }
  [[nodiscard]] std::string describe() const {
    return "case " + std::to_string(number_) + ": " + name + " p=" + std::to_string(stages) +
           " v=" + std::to_string(laps_of_stage) + " m=" + std::to_string(microbatches) +
           " group=" + std::to_string(shape.microbatch_group) +
           (hops.overlapped ? " overlapped" : " blocking");
  }

  std::string name;
  const Schedule* plan = nullptr;
  std::int32_t stages = 1, laps_of_stage = 1, microbatches = 1;
  std::vector<std::int32_t> stage_of;
  PipelineShape shape;
  std::vector<ChunkTimes> times;
  std::vector<DataLane> data;
  std::vector<SimTime> forward, backward;
  Hops hops;

 private:
  // A group no smaller than the stages, several of them, and a last one as large as it has to be.
  void choose_group() {
    const std::int32_t group = stages + pick(5), left_over = pick(2) == 0 ? 0 : stages + pick(5);
    microbatches = group * (1 + pick(6)) + (left_over < group ? left_over : 0);
    shape.microbatches = microbatches;
    shape.microbatch_group = group;
  }
  std::int32_t pick(std::int32_t below) {
    return static_cast<std::int32_t>(draw(20260, number_, drawn_++) % static_cast<std::uint64_t>(below));
  }
  std::uint64_t number_, drawn_ = 0;
};

TEST(PipelineTwin, AgreesOnEveryTaskOfRandomPipelines) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Case random(i);
    const twin::Result slow = random.slow(random.twin_orders());
    std::vector<PlacedTask> placed;
    twin::expect_equal(slow, random.fast(&placed), random.describe());
    ASSERT_EQ(twin::sorted(slow.placed), twin::sorted(placed)) << random.describe();
    twin::expect_equal(slow, random.fast(), random.describe() + " repeating");
    if (HasFatalFailure()) return;
  }
}

// Were the comparison blind, a changed input on one side would pass too.
TEST(PipelineTwin, NoticesOnePicosecondMore) {
  std::int32_t seen = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Case random(i);
    const twin::Result slow = random.slow(random.twin_orders());
    random.times[i % random.times.size()].forward += SimTime(1);
    const PipelineTimes fast = random.fast();
    ASSERT_FALSE(slow.stages == fast.stages) << random.describe();
    ++seen;
  }
  EXPECT_EQ(seen, 200);
}

TEST(PipelineTwin, NoticesALongerHop) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    Case random(i);
    if (random.forward.empty()) continue;
    const twin::Result slow = random.slow(random.twin_orders());
    for (SimTime& hop : random.forward) hop += SimTime(10'000'000);
    const PipelineTimes fast = random.fast();
    ASSERT_FALSE(slow.stages == fast.stages) << random.describe();
  }
}

TEST(PipelineTwin, NoticesTwoTasksSwapped) {
  std::int32_t checked = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Case random(i);
    twin::Orders orders = random.twin_orders();
    if (random.microbatches < 2) continue;
    auto& order = orders[i % orders.size()];
    std::swap(order[order.size() - 2], order[order.size() - 1]);  // the last two backwards of a stage
    if (order.back().kind == TaskKind::forward || order[order.size() - 2].kind == TaskKind::forward) continue;
    std::vector<PlacedTask> placed;
    (void)random.fast(&placed);
    try {
      EXPECT_NE(twin::sorted(random.slow(orders).placed), twin::sorted(placed)) << random.describe();
    } catch (const std::runtime_error&) {  // the swapped order deadlocks: noticed as well
    }
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

// 1F1B with the backward split and all weight gradients kept for the end: what zero-bubble schedules will be
// made of.
void order_split(const PipelineShape& shape, std::span<const ChunkTimes>, Csr<Task>& out) {
  out.clear();
  const twin::Orders whole = twin::orders_of("1f1b", shape.stages, 1, shape.microbatches);
  for (const std::vector<Task>& order : whole) {
    for (Task task : order) {
      if (task.kind == TaskKind::backward) task.kind = TaskKind::backward_input;
      out.push(task);
    }
    for (const Task& task : order) {
      if (task.kind == TaskKind::backward) out.push({TaskKind::backward_weight, task.chunk, task.microbatch});
    }
    out.close_row();
  }
}

TEST(PipelineTwin, AgreesOnSplitBackwards) {
  std::int32_t checked = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    Case random(i);
    if (random.name != "1f1b") continue;
    Schedule split = *random.plan;
    split.plan = order_split;
    split.slice = nullptr, split.steady = nullptr;
    split.splits_backward = true;
    random.plan = &split;
    Csr<Task> rows;
    order_split(random.shape, random.times, rows);
    twin::Orders orders;
    for (std::int32_t s = 0; s < random.stages; ++s)
      orders.emplace_back(rows.row(s).begin(), rows.row(s).end());
    twin::expect_equal(random.slow(orders), random.fast(), random.describe() + " split");
    if (HasFatalFailure()) return;
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace echo::timeline
