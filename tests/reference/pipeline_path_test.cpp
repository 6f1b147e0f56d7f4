// The critical path through a pipeline against slow twins: the walk over every microbatch run one by one, and
// the event-by-event simulator on durations changed a little.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "tests/reference/pipeline_twin.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

struct Draws {
  std::uint64_t seed, number = 0;
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(draw(19, seed, number++) % static_cast<std::uint64_t>(limit));
  }
};

const Schedule& schedule(std::string_view name) {
  return *schedule_table()[at(find_named(schedule_table(), name))];
}

// A random pipeline; `unit`: how coarse its times are, so that many are equal.
struct Line {
  explicit Line(std::uint64_t number, bool split = false) : draws{number} {
    const char* whole[] = {"1f1b", "interleaved", "gpipe"};
    const char* halves[] = {"zb-h1", "zb-1p", "zb-2p"};
    name = split ? halves[draws.below(3)] : whole[draws.below(3)];
    plan = &schedule(name);
    const auto stages = static_cast<std::int32_t>((plan->interleaves ? 2 : 1) + draws.below(8));
    laps = static_cast<std::int32_t>(plan->interleaves ? 2 + draws.below(3) : 1);
    const auto microbatches =
        static_cast<std::int32_t>(plan->interleaves ? stages * (1 + draws.below(16)) : 1 + draws.below(200));
    stage_of.resize(at(stages * laps));
    plan->place(stages, stages * laps, stage_of);
    shape = {stages, stages * laps, microbatches, stage_of};
    const std::int64_t unit = draws.below(3) == 0 ? 100'000 : 1;
    const std::int64_t spread = draws.below(2) == 0 ? 1'000 : 1'000'000;
    const auto some = [&](std::int64_t most) {
      return SimTime((draws.below(most + 1) + unit - 1) / unit * unit);
    };
    const std::int64_t hop = draws.below(3) * 400'000;
    for (std::int32_t c = 0; c < shape.chunks; ++c) {
      const SimTime f = SimTime(1'000'000) + some(spread), b = SimTime(2'000'000) + some(2 * spread);
      times.push_back({f, b / 2, b - b / 2, some(9'000'000), b + some(900'000)});
      data.push_back({some(900'000), some(3'000'000), some(800'000)});
      if (c > 0) forward.push_back(some(hop)), backward.push_back(some(hop));
    }
    overlapped = draws.below(2) == 0;
  }
  [[nodiscard]] Hops hops() const { return {forward, backward, overlapped}; }

  struct Found {
    PipelineTimes times;
    std::vector<PipelinePath> paths;  // [stages]
  };
  [[nodiscard]] Found run(bool folded) const {
    Schedule own = *plan;
    if (!folded) own.steady = nullptr;
    Found found;
    PipelineScratch scratch;
    Trail trail;
    compose_pipeline(shape, own, times, hops(), data, scratch, found.times, nullptr, {}, &trail);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
      find_path(shape, own, trail, scratch, found.times.stages[at(s)], s, found.paths.emplace_back());
    }
    return found;
  }

  // The length of the path in this line's durations.
  [[nodiscard]] SimTime length_of(const PipelinePath& path) const {
    PipelineScratch scratch;
    lay_legs(shape, *plan, times, hops(), data, scratch.legs);
    SimTime sum{};
    for (std::size_t leg = 0; leg < scratch.legs.size(); ++leg) {
      const LegCounts& counts = path.legs[leg];
      const Leg& is = scratch.legs[leg];
      sum += counts.usual * is.duration + counts.special * is.special + counts.split * is.input +
             counts.transfers * (is.send + is.flight);
    }
    for (std::size_t c = 0; c < data.size(); ++c)
      sum += path.data[c].first_start * data[c].first_start + path.data[c].busy * data[c].busy +
             path.data[c].lag * data[c].lag;
    if (!path.gathered.is_none()) sum += times[at(path.gathered)].gathered;
    return sum;
  }

  Draws draws;
  std::string name;
  const Schedule* plan;
  std::int32_t laps = 1;
  std::vector<std::int32_t> stage_of;
  PipelineShape shape;
  std::vector<ChunkTimes> times;
  std::vector<DataLane> data;
  std::vector<SimTime> forward, backward;
  bool overlapped = false;
};

bool same(const PipelinePath& a, const PipelinePath& b) {
  return a.legs == b.legs && a.data == b.data && a.pairs == b.pairs && a.gathered == b.gathered;
}

TEST(PipelinePath, SumsToTheEndOfEachStage) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Line line(i, i % 4 == 0);
    const Line::Found found = line.run(true);
    for (std::size_t s = 0; s < found.paths.size(); ++s) {
      const StageTimes& stage = found.times.stages[s];
      ASSERT_EQ(line.length_of(found.paths[s]), std::max(stage.compute_end, stage.data_end))
          << line.name << " case " << i << " stage " << s;
    }
  }
}

TEST(PipelinePath, OfASkippedSteadyStateIsThatOfEveryMicrobatchRunOneByOne) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Line line(i);
    const Line::Found folded = line.run(true), plain = line.run(false);
    for (std::size_t s = 0; s < folded.paths.size(); ++s)
      ASSERT_TRUE(same(folded.paths[s], plain.paths[s])) << line.name << " case " << i << " stage " << s;
  }
}

// A path stays a path when durations change, so no end comes before its new length. With its length equal to
// the end where nothing changed, that is what makes it critical; nothing of how it was found is used.
TEST(PipelinePath, BoundsTheEndFromBelowHoweverDurationsChange) {
  std::int64_t tight = 0, compared = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Line line(i);
    const auto orders = twin::orders_of(line.name, line.shape.stages, line.laps, line.shape.microbatches);
    const Line::Found found = line.run(true);
    for (int change = 0; change < 4; ++change) {
      Line other = line;
      const std::int64_t most = change < 2 ? 40 : 200'000;  // too little to switch a path, or enough
      const auto vary = [&](SimTime& time) { time += SimTime(other.draws.below(most)); };
      for (ChunkTimes& t : other.times)
        vary(t.forward), vary(t.backward_input), vary(t.backward_weight), vary(t.last_backward),
            vary(t.gathered);
      for (DataLane& d : other.data) vary(d.first_start), vary(d.busy), vary(d.lag);
      for (SimTime& hop : other.forward) vary(hop);
      for (SimTime& hop : other.backward) vary(hop);
      const twin::Result slow =
          twin::Simulator(other.shape, false, orders, other.times, other.hops(), other.data).run();
      for (std::size_t s = 0; s < found.paths.size(); ++s) {
        const SimTime end = std::max(slow.stages[s].compute_end, slow.stages[s].data_end);
        const SimTime bound = other.length_of(found.paths[s]);
        ASSERT_LE(bound, end) << line.name << " case " << i << " stage " << s;
        ++compared, tight += bound == end;
      }
    }
  }
  EXPECT_GT(tight, compared / 3);
}

TEST(PipelinePath, CostsNoMoreStepsForMoreMicrobatches) {
  // 16 stages x 4096 microbatches: noted tasks only where tasks ran.
  std::vector<std::int32_t> stage_of(16);
  const Schedule& plan = schedule("1f1b");
  plan.place(16, 16, stage_of);
  const PipelineShape shape{16, 16, 4096, stage_of};
  std::vector<ChunkTimes> times;
  for (int c = 0; c < 16; ++c) times.push_back({SimTime(1'000 + c), SimTime(2'000), {}, {}, SimTime(2'000)});
  PipelineScratch scratch;
  PipelineTimes out;
  Trail trail;
  PipelinePath path;
  compose_pipeline(shape, plan, times, {}, {}, scratch, out, nullptr, {}, &trail);
  find_path(shape, plan, trail, scratch, out.stages[0], 0, path);
  EXPECT_GT(trail.skipped, 3000);
  std::int64_t tasks = 0;
  for (const LegCounts& leg : path.legs) tasks += leg.usual + leg.special;
  EXPECT_GT(tasks, 4096);  // and the skipped ones count
}

}  // namespace
}  // namespace echo::timeline
