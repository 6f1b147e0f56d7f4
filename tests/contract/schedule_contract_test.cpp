// What every pipeline schedule owes, over the plug-in table: a new file in schedules/ is tested by being
// there.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "timeline/pipeline.hpp"

namespace echo::timeline {
namespace {

class EverySchedule : public testing::TestWithParam<const Schedule*> {
 protected:
  struct Shape {
    std::vector<std::int32_t> stage_of;
    PipelineShape shape;
    [[nodiscard]] std::string describe() const {
      return "p=" + std::to_string(shape.stages) + " chunks=" + std::to_string(shape.chunks) +
             " m=" + std::to_string(shape.microbatches) + " group=" + std::to_string(shape.microbatch_group);
    }
  };

  // Calls visit with every admitted shape of a small grid and some drawn at random; returns how many.
  template <class Visit>
  int on_shapes(Visit visit) const {
    int admitted = 0;
    for (const std::int32_t stages : {1, 2, 3, 4, 5, 8}) {
      for (const std::int32_t laps : {1, 2, 3, 5}) {
        for (const std::int32_t m : {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 40, 60, 120}) {
          admitted += on_shape(stages, laps, m, 0, visit);
          if (HasFatalFailure()) return admitted;
        }
      }
    }
    for (std::uint64_t i = 0; i < 400; ++i) {
      auto pick = [&, n = std::uint64_t{0}](std::int32_t below) mutable {
        return static_cast<std::int32_t>(draw(405, i, n++) % static_cast<std::uint64_t>(below));
      };
      const std::int32_t stages = 1 + pick(13), laps = 1 + pick(pick(2) == 0 ? 2 : 5);
      const std::int32_t m = 1 + pick(70), group = pick(2) == 0 ? 0 : stages + pick(9);
      admitted += on_shape(stages, laps, m, group, visit);
      if (HasFatalFailure()) return admitted;
    }
    return admitted;
  }
  template <class Visit>
  int on_shape(std::int32_t stages, std::int32_t laps, std::int32_t m, std::int32_t group,
               Visit visit) const {
    Shape s;
    s.stage_of.resize(static_cast<std::size_t>(stages * laps));
    s.shape = {stages, stages * laps, m, {}, group};
    if (plan().admits(s.shape) != nullptr) return 0;
    plan().place(stages, stages * laps, s.stage_of);
    s.shape.stage_of_chunk = s.stage_of;
    visit(s);
    return 1;
  }
  [[nodiscard]] const Schedule& plan() const { return *GetParam(); }
  [[nodiscard]] Csr<Task> order(const PipelineShape& shape) const {
    const std::vector<ChunkTimes> times(static_cast<std::size_t>(shape.chunks),
                                        {SimTime(2), SimTime(2), SimTime(1), SimTime(2), SimTime(3)});
    Csr<Task> out;
    plan().order(shape, times, 0, out);
    return out;
  }
  [[nodiscard]] std::set<TaskKind> kinds() const {
    if (plan().splits_backward)
      return {TaskKind::forward, TaskKind::backward_input, TaskKind::backward_weight};
    return {TaskKind::forward, TaskKind::backward};
  }
};

TEST_P(EverySchedule, StatesItsNameAndSource) {
  EXPECT_FALSE(std::string(plan().name).empty());
  EXPECT_FALSE(std::string(plan().source).empty());
  const auto index = static_cast<std::size_t>(find_named(schedule_table(), plan().name));
  EXPECT_EQ(schedule_table()[index], &plan()) << "two schedules of one name";
}

TEST_P(EverySchedule, PlacesEveryChunkOnAStageAndEveryStageWorks) {
  EXPECT_GT(on_shapes([&](const Shape& s) {
              const std::set<std::int32_t> used(s.stage_of.begin(), s.stage_of.end());
              ASSERT_EQ(*used.begin(), 0) << s.describe();
              ASSERT_EQ(*used.rbegin(), s.shape.stages - 1) << s.describe();
              ASSERT_EQ(used.size(), static_cast<std::size_t>(s.shape.stages)) << s.describe();
            }),
            10);
}

TEST_P(EverySchedule, AdmitsMoreChunksThanStagesOnlyIfItInterleaves) {
  on_shapes([&](const Shape& s) {
    ASSERT_EQ(s.shape.chunks > s.shape.stages, plan().interleaves) << s.describe();
  });
}

TEST_P(EverySchedule, RunsEveryTaskOnceWhereItsChunkLives) {
  on_shapes([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    ASSERT_EQ(rows.rows(), s.shape.stages);
    std::set<Task> seen;
    for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
      for (const Task& task : rows.row(stage)) {
        ASSERT_TRUE(task.chunk >= 0 && task.chunk < s.shape.chunks) << s.describe();
        ASSERT_TRUE(task.microbatch >= 0 && task.microbatch < s.shape.microbatches) << s.describe();
        ASSERT_EQ(s.stage_of[static_cast<std::size_t>(task.chunk)], stage) << s.describe();
        ASSERT_EQ(kinds().count(task.kind), 1U) << s.describe();
        ASSERT_TRUE(seen.insert(task).second) << s.describe() << ": a task runs twice";
      }
    }
    ASSERT_EQ(seen.size(), kinds().size() * static_cast<std::size_t>(s.shape.chunks * s.shape.microbatches));
  });
}

// Runs the stages against each other, each stage only when the input of its next task exists.
TEST_P(EverySchedule, IsCausalAndFreeOfDeadlock) {
  on_shapes([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    const TaskKind back = plan().splits_backward ? TaskKind::backward_input : TaskKind::backward;
    std::vector<std::size_t> next(static_cast<std::size_t>(s.shape.stages), 0);
    std::set<Task> done;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
        std::size_t& n = next[static_cast<std::size_t>(stage)];
        if (n == rows.row(stage).size()) continue;
        const Task task = rows.row(stage)[n];
        std::vector<Task> inputs;
        if (task.kind == TaskKind::forward) {
          if (task.chunk > 0) inputs.push_back({TaskKind::forward, task.chunk - 1, task.microbatch});
        } else if (task.kind == TaskKind::backward_weight) {
          inputs.push_back({TaskKind::backward_input, task.chunk, task.microbatch});
        } else {
          inputs.push_back({TaskKind::forward, task.chunk, task.microbatch});
          if (task.chunk + 1 < s.shape.chunks) inputs.push_back({back, task.chunk + 1, task.microbatch});
        }
        if (!std::all_of(inputs.begin(), inputs.end(), [&](const Task& t) { return done.count(t) > 0; }))
          continue;
        done.insert(task);
        ++n, moved = true;
      }
    }
    ASSERT_EQ(done.size(), rows.value.size()) << s.describe() << ": stuck";
  });
}

TEST_P(EverySchedule, HoldsAsManyActivationsAsItSays) {
  on_shapes([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    const TaskKind frees = plan().splits_backward ? TaskKind::backward_weight : TaskKind::backward;
    for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
      std::int32_t held = 0, most = 0;
      for (const Task& task : rows.row(stage)) {
        if (task.kind == TaskKind::forward) most = std::max(most, ++held);
        if (task.kind == frees) --held;
      }
      // A schedule that plans from times may need less than its limit.
      const bool planned = plan().splits_backward && plan().slice == nullptr;
      const std::int32_t stated = plan().in_flight(s.shape, stage);
      ASSERT_LE(most, stated) << s.describe() << " stage " << stage;
      ASSERT_TRUE(planned || most == stated) << most << " of " << stated << ": " << s.describe();
      ASSERT_GT(most, 0) << s.describe() << " stage " << stage;
    }
  });
}

TEST_P(EverySchedule, IsNoFasterThanItsBusiestStageOrOneMicrobatch) {
  on_shapes([&](const Shape& s) {
    std::vector<ChunkTimes> times;
    for (std::int32_t c = 0; c < s.shape.chunks; ++c) {
      const SimTime f(100 + 7 * c), b(200 + 5 * c);
      times.push_back({f, b / 2, b - b / 2, f, b});
    }
    PipelineScratch scratch;
    PipelineTimes out;
    compose_pipeline(s.shape, plan(), times, {}, {}, scratch, out);
    std::vector<SimTime> busy(static_cast<std::size_t>(s.shape.stages));
    SimTime one{};
    for (std::size_t c = 0; c < times.size(); ++c) {
      const SimTime pass = times[c].forward + times[c].last_backward;
      // Nobody waits for a weight gradient; that of the first chunk comes last.
      const bool waits_for_all = c == 0 || !plan().splits_backward;
      one += waits_for_all ? pass : times[c].forward + times[c].backward_input;
      busy[static_cast<std::size_t>(s.stage_of[c])] += pass * s.shape.microbatches;
    }
    ASSERT_GE(out.end, one) << s.describe();
    ASSERT_GE(out.end, *std::max_element(busy.begin(), busy.end())) << s.describe();
  });
}

TEST_P(EverySchedule, SlicesAreItsOrder) {
  if (plan().slice == nullptr) return;  // optional
  on_shapes([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
      const auto row = rows.row(stage);
      const auto size = static_cast<std::int32_t>(row.size());
      for (const std::int32_t step : {1, 3, 1000}) {
        std::vector<Task> pieces;
        for (std::int32_t from = 0; from < size; from += step) {
          plan().slice(s.shape, stage, from, std::min(size, from + step), pieces);
        }
        ASSERT_TRUE(std::equal(row.begin(), row.end(), pieces.begin(), pieces.end())) << s.describe();
      }
    }
  });
}

TEST_P(EverySchedule, KeepsThePromisesOfItsSteadyStretch) {
  ASSERT_TRUE(plan().steady == nullptr || plan().slice != nullptr);
  if (plan().steady == nullptr) return;  // optional
  bool repeats = false;
  on_shapes([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    const SteadyStretch zeroth = plan().steady(s.shape, 0);
    if (zeroth.repeats == 0) return;
    repeats = true;
    for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
      const auto row = rows.row(stage);
      const SteadyStretch stretch = plan().steady(s.shape, stage);
      ASSERT_EQ(stretch.length, zeroth.length);
      ASSERT_EQ(stretch.advance, zeroth.advance);
      ASSERT_EQ(stretch.repeats, zeroth.repeats);
      const auto end = stretch.first + stretch.repeats * stretch.length;
      ASSERT_LE(end, static_cast<std::int32_t>(row.size())) << s.describe();
      std::map<std::pair<TaskKind, std::int32_t>, std::int32_t> next_of, per_repeat;  // by kind and chunk
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(row.size()); ++i) {
        const Task& task = row[static_cast<std::size_t>(i)];
        ASSERT_EQ(task.microbatch, (next_of[{task.kind, task.chunk}]++)) << s.describe();
        if (i < stretch.first || i >= end) continue;
        ASSERT_FALSE(task.kind == TaskKind::forward && task.microbatch == 0) << s.describe();
        ASSERT_FALSE(task.kind != TaskKind::forward && task.microbatch == s.shape.microbatches - 1)
            << s.describe();
        if (i < stretch.first + stretch.length) ++per_repeat[{task.kind, task.chunk}];
        if (i + stretch.length >= end) continue;
        Task later = task;
        later.microbatch += stretch.advance;
        ASSERT_EQ(row[static_cast<std::size_t>(i + stretch.length)], later) << s.describe();
      }
      for (const auto& [pass, count] : next_of) ASSERT_EQ(per_repeat[pass], stretch.advance) << s.describe();
    }
    // The composer throws if the stages cannot run repeat by repeat.
    const std::vector<ChunkTimes> times(static_cast<std::size_t>(s.shape.chunks),
                                        {SimTime(2), SimTime(2), SimTime(1), SimTime(2), SimTime(3)});
    PipelineScratch scratch;
    PipelineTimes out;
    ASSERT_NO_THROW(compose_pipeline(s.shape, plan(), times, {}, {}, scratch, out)) << s.describe();
  });
  EXPECT_TRUE(repeats);
}

INSTANTIATE_TEST_SUITE_P(Table, EverySchedule,
                         testing::ValuesIn(schedule_table().begin(), schedule_table().end()),
                         [](const auto& tested) {
                           std::string name = tested.param->name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(ScheduleTable, HoldsTheKnownSchedules) {
  for (const char* name : {"1f1b", "breadth-first", "gpipe", "interleaved", "v-half", "v-min", "zb-1p",
                           "zb-2p", "zb-h1", "zb-h2", "zb-v"})
    EXPECT_GE(find_named(schedule_table(), name), 0) << name;
}

}  // namespace
}  // namespace echo::timeline
