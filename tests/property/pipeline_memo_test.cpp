// Pipelines looked up, and those whose body or walk is that of an earlier one, take the times and have the
// paths of pipelines run anew: whatever ran before.
#include <gtest/gtest.h>

#include <array>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "tests/support/sanitized.hpp"
#include "timeline/pipeline/pipeline_memo.hpp"

namespace echo::timeline {
namespace {

constexpr std::uint64_t lines_tried = support::is_sanitized ? 120 : 900;

struct Draws {
  std::uint64_t seed, number = 0;
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(draw(23, seed, number++) % static_cast<std::uint64_t>(limit));
  }
};

// All that a pipeline is made of.
struct Line {
  const Schedule* plan = nullptr;
  std::int32_t stages = 1, microbatches = 1;
  std::vector<std::int32_t> stage_of;
  std::vector<SimTime> forward, backward;
  bool overlapped = false;
  std::vector<std::vector<ChunkTimes>> times;  // [cases][chunks]
  std::vector<std::vector<DataLane>> data;

  explicit Line(Draws& draws) : plan(schedule_table()[at(draws.below(std::ssize(schedule_table())))]) {
    stages = static_cast<std::int32_t>((plan->interleaves ? 2 : 1) + draws.below(4));
    const auto laps = static_cast<std::int32_t>(plan->interleaves ? 2 + draws.below(2) : 1);
    microbatches = static_cast<std::int32_t>(2 * stages * (1 + draws.below(6)));
    stage_of.resize(at(stages * laps * plan->copies));
    plan->place(stages, length_of(stage_of), stage_of);
    for (std::size_t c = 1; c < stage_of.size(); ++c)
      forward.emplace_back(draws.below(400'000)), backward.emplace_back(draws.below(400'000));
    overlapped = draws.below(2) == 0;
    const std::int64_t cases = 1 + draws.below(most_cases);
    for (std::int64_t k = 0; k < cases; ++k) {
      times.emplace_back(), data.emplace_back();
      for (std::size_t c = 0; c < stage_of.size(); ++c) {
        const SimTime f(1'000'000 + draws.below(500'000)), b(2'000'000 + draws.below(500'000));
        times.back().push_back({f, b / 2, b - b / 2, SimTime(draws.below(9'000'000)),
                                b + SimTime(draws.below(900'000)), b, f + SimTime(draws.below(300'000))});
        data.back().push_back(
            {SimTime(draws.below(900'000)), SimTime(draws.below(3'000'000)), SimTime(draws.below(800'000))});
      }
    }
  }

  [[nodiscard]] PipelineShape shape() const {
    return {stages, length_of(stage_of), microbatches, stage_of, 0, false, plan->copies};
  }
  [[nodiscard]] Hops hops() const { return {forward, backward, overlapped}; }
  // Makes it another line by one number.
  void change(Draws& draws) {
    const std::size_t k = at(draws.below(std::ssize(times))), c = at(draws.below(std::ssize(stage_of)));
    const SimTime more(1 + draws.below(1000));
    const std::array<SimTime*, 9> durations{&times[k][c].forward,
                                            &times[k][c].backward_input,
                                            &times[k][c].backward_weight,
                                            &times[k][c].gathered,
                                            &times[k][c].last_backward,
                                            &times[k][c].first_forward,
                                            &data[k][c].first_start,
                                            &data[k][c].busy,
                                            &data[k][c].lag};
    const std::int64_t what = draws.below(std::ssize(durations) + 4);
    if (what < std::ssize(durations)) {
      *durations[at(what)] += what == 3 ? SimTime(20'000'000) : more;
      return;
    }
    switch (what - std::ssize(durations)) {
      case 0:
        microbatches += 2 * stages;
        return;
      case 1:
        overlapped = !overlapped;
        return;
      case 2:
        if (!forward.empty()) forward[at(draws.below(std::ssize(forward)))] += more;
        return;
      default:
        if (!backward.empty()) backward[at(draws.below(std::ssize(backward)))] += more;
    }
  }
};

std::vector<PipelineCase> cases_of(const Line& line, std::vector<PipelineTimes>& out) {
  out.resize(line.times.size());
  std::vector<PipelineCase> cases;
  for (std::size_t k = 0; k < out.size(); ++k) cases.push_back({line.times[k], line.data[k], {}, &out[k]});
  return cases;
}

TEST(PipelineMemo, AnswersAsIfThePipelineHadRun) {
  PipelineMemo memo;
  PipelineScratch scratch;
  Trail trail;
  std::vector<Line> lines;
  std::vector<PipelineTimes> found, expected;
  std::int64_t bodies_shared = 0, walks_shared = 0;
  for (std::uint64_t i = 0; i < lines_tried; ++i) {
    Draws draws{i};
    // A new one, one of the last few, or one that differs from such a one by one number.
    const std::int64_t which = lines.empty() ? 0 : draws.below(4);
    const std::int64_t back = draws.below(2) == 0 ? 1 : std::min<std::int64_t>(20, std::ssize(lines));
    Line line = which == 0 ? Line(draws) : lines[lines.size() - 1 - at(draws.below(back))];
    if (which == 3) line.change(draws);
    const PipelineShape shape = line.shape();
    if (line.plan->refuses(shape)) continue;
    PipelineScratch own_scratch;
    Trail own_trail;
    const auto own_cases = cases_of(line, expected);
    compose_pipelines(shape, *line.plan, own_cases, line.hops(), own_scratch, &own_trail);
    const auto cases = cases_of(line, found);
    const ProgramRun& run = scratch.runs[at(line.overlapped)];
    const std::int64_t body_of = run.body_of, known = memo.count().known;
    const std::vector<SimTime> body = run.body;
    memo.run(shape, *line.plan, cases, line.hops(), scratch, trail);
    if (memo.count().known == known && body_of >= 0 && trail.of_program)
      bodies_shared += run.body_of == body_of && run.body == body ? 1 : 0;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      ASSERT_EQ(found[k].end, expected[k].end) << line.plan->name << " case " << i;
      ASSERT_TRUE(found[k].stages == expected[k].stages) << line.plan->name << " case " << i;
      ASSERT_TRUE(found[k].pairs == expected[k].pairs && found[k].apart == expected[k].apart) << i;
    }
    for (std::int64_t asked = draws.below(3); asked > 0; --asked) {
      const auto stage = static_cast<std::int32_t>(draws.below(line.stages));
      PipelinePath path, own;
      const std::size_t walks = run.walks_known;
      memo.find_path(shape, *line.plan, scratch, trail, found.back().stages[at(stage)], stage, path);
      find_path(shape, *line.plan, own_trail, own_scratch, expected.back().stages[at(stage)], stage, own);
      ASSERT_TRUE(path.legs == own.legs && path.data == own.data && path.pairs == own.pairs &&
                  path.gathered == own.gathered)
          << line.plan->name << " case " << i << " stage " << stage;
      walks_shared += walks > 0 && run.walks_known == walks ? 1 : 0;
    }
    lines.push_back(std::move(line));
  }
  EXPECT_GT(bodies_shared, static_cast<std::int64_t>(lines_tried) / 40);
  EXPECT_GT(walks_shared, static_cast<std::int64_t>(lines_tried) / 40);
  EXPECT_GT(memo.count().known, static_cast<std::int64_t>(lines_tried) / 6);
  EXPECT_GT(memo.count().asked, memo.count().known + static_cast<std::int64_t>(lines_tried) / 6);
}

}  // namespace
}  // namespace echo::timeline
