// Pipelines with pairs equal their slow twin to the picosecond, with the steady state skipped and without.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "tests/reference/pair_twin.hpp"

namespace echo::timeline {
namespace {

const Schedule& schedule(std::string_view name) {
  return *schedule_table()[at(find_named(schedule_table(), name))];
}

// A random pipeline, a pure function of its number.
struct Case {
  explicit Case(std::uint64_t number) : number_(number) {
    const char* const names[] = {"1f1b", "interleaved", "dualpipe", "dualpipev"};
    name = names[pick(4)];
    plan = &schedule(name);
    const bool dual = plan->pairs == Pairs::always;
    const std::int32_t stages = name == "1f1b" ? 1 : dual ? 2 * (1 + pick(4)) : 2 + pick(5);
    laps = name == "1f1b" ? 1 : dual ? 2 : 2 + pick(3);
    const std::int32_t many = pick(6) == 0 ? 60 : 6;
    const std::int32_t m = name == "interleaved" ? stages * (1 + pick(many))
                           : dual                ? 2 * (stages + pick(many))
                                                 : 1 + pick(many);
    const std::int32_t chunks = stages * laps;
    stage_of.resize(at(chunks));
    plan->place(stages, chunks, stage_of);
    in.shape = {
        .stages = stages, .chunks = chunks, .microbatches = m, .stage_of_chunk = stage_of, .pairs = true};
    in.shape.copies = plan->copies;
    const std::int32_t style =
        pick(4);  // all equal; nearly equal; anything; small numbers with ties and zeros
    const auto time = [&](std::int64_t usual) {
      if (style == 0) return SimTime(usual);
      if (style == 1) return SimTime(usual + pick(3));
      if (style == 2) return SimTime(1 + pick(1'000'000));
      return SimTime(pick(4));
    };
    for (std::int32_t c = 0; c < chunks; ++c) {
      ChunkTimes t{time(1000), time(1300), time(700), time(1000), time(2000), time(2000)};
      if (!plan->mixes_backwards) t.whole_backward = t.backward_input + t.backward_weight;
      if (pick(2) == 0) t.gathered = pick(4) * time(1000), t.last_backward += time(500);
      in.times.push_back(t);
      in.data.push_back({time(200), time(3000), time(900)});
      forward.push_back(time(90)), backward.push_back(time(110));
    }
    if (pick(3) == 0) in.data.clear();
    forward.pop_back(), backward.pop_back();
    in.hops = {forward, backward, pick(2) == 0};
    pair_times.resize(at(chunks * laps));
    for (std::int32_t f = 0; f < chunks; ++f)
      for (std::int32_t b = 0; b < chunks; ++b) {
        if (stage_of[at(f)] != stage_of[at(b)]) continue;
        const SimTime both = time(2500);
        in.pair_time[{f, b}] = pair_times[at(f * laps + b / stages)] = both;
      }
  }

  [[nodiscard]] pair_twin::Orders orders() const {
    if (plan->pairs == Pairs::always)
      return pair_twin::dual_orders(in.shape.stages, in.shape.microbatches, name == "dualpipe");
    return pair_twin::combined_1f1b(in.shape.stages, laps, in.shape.microbatches);
  }
  PipelineTimes fast(std::vector<PlacedTask>* placed = nullptr) const {
    static PipelineScratch scratch;  // shared on purpose: results must not depend on what it held
    PipelineTimes out;
    compose_pipeline(in.shape, *plan, in.times, in.hops, in.data, scratch, out, placed, pair_times);
    return out;
  }
  [[nodiscard]] std::string describe() const {
    return "case " + std::to_string(number_) + ": " + name + " p=" + std::to_string(in.shape.stages) +
           " v=" + std::to_string(laps) + " m=" + std::to_string(in.shape.microbatches) +
           (in.hops.overlapped ? " overlapped" : " blocking");
  }

  std::string name;
  const Schedule* plan = nullptr;
  std::int32_t laps = 1;
  std::vector<std::int32_t> stage_of;
  pair_twin::Inputs in;
  std::vector<SimTime> forward, backward, pair_times;

 private:
  std::int32_t pick(std::int32_t below) {
    return static_cast<std::int32_t>(draw(977, number_, drawn_++) % static_cast<std::uint64_t>(below));
  }
  std::uint64_t number_, drawn_ = 0;
};

void expect_equal(const Case& random, const pair_twin::Result& slow, const PipelineTimes& fast) {
  for (std::size_t s = 0; s < slow.stages.size(); ++s) {
    ASSERT_EQ(slow.stages[s].compute_end, fast.stages[s].compute_end) << random.describe() << " stage " << s;
    ASSERT_EQ(slow.stages[s].data_end, fast.stages[s].data_end) << random.describe() << " stage " << s;
    ASSERT_EQ(slow.stages[s].busy, fast.stages[s].busy) << random.describe() << " stage " << s;
    ASSERT_EQ(slow.stages[s].gather_wait, fast.stages[s].gather_wait) << random.describe() << " stage " << s;
    if (!random.in.hops.overlapped) {
      ASSERT_EQ(slow.stages[s].hop_wait, fast.stages[s].hop_wait) << random.describe() << " stage " << s;
    }
  }
  std::int64_t ran = 0, told = 0;
  for (const auto& [chunks, count] : slow.pairs) {
    ran += count;
    ASSERT_EQ(count, fast.pairs[at(chunks.first * random.laps + chunks.second / random.in.shape.stages)])
        << random.describe();
  }
  for (const std::int32_t count : fast.pairs) told += count;
  ASSERT_EQ(ran, told) << random.describe();
}

TEST(PairTwin, AgreesOnEveryTaskOfRandomPipelines) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Case random(i);
    const auto orders = random.orders();
    const pair_twin::Result slow = pair_twin::Simulator(random.in, orders).run();
    std::vector<PlacedTask> placed;
    expect_equal(random, slow, random.fast(&placed));
    for (const PlacedTask& task : placed) {
      ASSERT_EQ(slow.ran.at(task.task), std::pair(task.start, task.end)) << random.describe();
    }
    ASSERT_EQ(placed.size(), slow.ran.size());
    expect_equal(random, slow, random.fast());
    if (HasFatalFailure()) return;
  }
}

// Were the comparison blind, a pair a picosecond longer would pass too.
TEST(PairTwin, NoticesALongerPair) {
  std::int32_t seen = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Case random(i);
    const auto orders = random.orders();
    const pair_twin::Result slow = pair_twin::Simulator(random.in, orders).run();
    if (slow.pairs.empty()) continue;
    for (SimTime& time : random.pair_times) time += SimTime(1);
    const PipelineTimes fast = random.fast();
    ASSERT_FALSE(slow.stages == fast.stages) << random.describe();
    ++seen;
  }
  EXPECT_GT(seen, 100);
}

TEST(PairTwin, TakesAPairForBothWhereNoTimeIsGiven) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    Case random(i);
    for (auto& [chunks, time] : random.in.pair_time)
      time = random.in.times[at(chunks.first)].forward + random.in.times[at(chunks.second)].whole_backward;
    random.pair_times.clear();
    const auto orders = random.orders();
    expect_equal(random, pair_twin::Simulator(random.in, orders).run(), random.fast());
    if (HasFatalFailure()) return;
  }
}

// The publication's assumptions: equal chunks, no transfers. The stages met last idle that long; those before
// them as long where a pair takes as long as both, less where it is shorter, since they run more passes
// alone.
TEST(DualPipe, IdlesAsLongAsPublished) {
  for (const char* name : {"dualpipe", "dualpipev"}) {
    const Schedule& plan = schedule(name);
    for (const std::int32_t stages : {2, 4, 8, 16}) {
      for (const std::int64_t weight : {50, 100}) {
        for (const std::int64_t pair : {200 + weight, 180 + weight, 130 + weight}) {
          const std::int32_t chunks = 2 * stages;
          std::vector<std::int32_t> stage_of(static_cast<std::size_t>(chunks));
          plan.place(stages, chunks, stage_of);
          PipelineShape shape{
              .stages = stages, .chunks = chunks, .microbatches = 4 * stages, .stage_of_chunk = stage_of};
          shape.copies = plan.copies;
          const SimTime f(100), b(100 + weight), w(weight);
          const std::vector<ChunkTimes> times(stage_of.size(), {f, b - w, w, SimTime(0), b, b});
          const std::vector<SimTime> pairs(static_cast<std::size_t>(2 * chunks), SimTime(pair));
          PipelineScratch scratch;
          PipelineTimes out;
          compose_pipeline(shape, plan, times, {}, {}, scratch, out, nullptr, pairs);
          const std::int32_t ranks = plan.copies == 2 ? stages : 2 * stages;  // of the publication
          const SimTime bubble = (ranks / 2 - 1) * (SimTime(pair) + b - 3 * w);
          const std::string what = std::string(name) + " p=" + std::to_string(stages) +
                                   " W=" + std::to_string(weight) + " F&B=" + std::to_string(pair);
          SimTime longest{};
          for (const StageTimes& stage : out.stages) {
            longest = std::max(longest, out.end - stage.busy);
            if (SimTime(pair) == f + b) {
              EXPECT_EQ(out.end - stage.busy, bubble) << what;
            }
          }
          EXPECT_EQ(longest, bubble) << what;
          EXPECT_EQ(out.end - out.stages[at(ranks / 2 - 1)].busy, bubble) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace echo::timeline
