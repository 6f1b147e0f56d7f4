// What every pipeline schedule owes, over the plug-in table: a new file in schedules/ is tested by being
// there.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

class EverySchedule : public ::testing::TestWithParam<const Schedule*> {
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
    s.stage_of.resize(at(stages * laps));
    s.shape = {stages, stages * laps, m, {}, group, pairs_, plan().copies};
    if (plan().refuses(s.shape)) return 0;
    plan().place(stages, stages * laps, s.stage_of);
    s.shape.stage_of_chunk = s.stage_of;
    visit(s);
    return 1;
  }
  [[nodiscard]] const Schedule& plan() const { return *GetParam(); }
  // Calls visit with every admitted shape, and once more with pairs where the schedule has them on demand.
  template <class Visit>
  int on_shapes_and_pairs(Visit visit) {
    int admitted = on_shapes(visit);
    if (plan().pairs != Pairs::on_demand || HasFatalFailure()) return admitted;
    pairs_ = true;
    const int paired = on_shapes(visit);
    EXPECT_GT(paired, 10);
    pairs_ = false;
    return admitted + paired;
  }
  [[nodiscard]] bool frees(TaskKind kind) const {
    if (plan().splits_backward) return kind == TaskKind::backward_weight;
    return kind == TaskKind::backward || kind == TaskKind::backward_weight;
  }
  [[nodiscard]] Csr<Task> order(const PipelineShape& shape) const {
    const std::vector<ChunkTimes> times(
        static_cast<std::size_t>(shape.chunks),
        {SimTime(2), SimTime(2), SimTime(1), SimTime(2), SimTime(3), SimTime(3)});
    Csr<Task> out;
    order_of(plan(), shape, times, out);
    return out;
  }
  [[nodiscard]] std::set<TaskKind> kinds() const {
    if (plan().mixes_backwards)
      return {TaskKind::forward, TaskKind::backward, TaskKind::backward_input, TaskKind::backward_weight};
    if (plan().splits_backward)
      return {TaskKind::forward, TaskKind::backward_input, TaskKind::backward_weight};
    return {TaskKind::forward, TaskKind::backward};
  }
  bool pairs_ = false;
};

TEST_P(EverySchedule, StatesItsNameAndSource) {
  EXPECT_FALSE(std::string(plan().name).empty());
  EXPECT_FALSE(std::string(plan().source).empty());
  const std::size_t index = at(find_named(schedule_table(), plan().name));
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
  on_shapes_and_pairs([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    ASSERT_EQ(rows.rows(), s.shape.stages);
    std::set<Task> seen;
    for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
      for (const Task& task : rows.row(stage)) {
        ASSERT_TRUE(!task.chunk.is_none() && task.chunk.index() < s.shape.chunks) << s.describe();
        ASSERT_TRUE(!task.microbatch.is_none() && task.microbatch.index() < microbatches_per_chunk(s.shape))
            << s.describe();
        ASSERT_EQ(s.stage_of[at(task.chunk)], stage) << s.describe();
        ASSERT_EQ(kinds().count(task.kind), 1U) << s.describe();
        ASSERT_TRUE(seen.insert(task).second) << s.describe() << ": a task runs twice";
      }
    }
    // A whole backward is both halves.
    const std::size_t passes = at(s.shape.chunks * microbatches_per_chunk(s.shape));
    std::size_t halves = 0;
    for (const Task& task : seen)
      halves += task.kind == TaskKind::backward ? 2 : task.kind == TaskKind::forward ? 0 : 1;
    ASSERT_EQ(halves, 2 * passes) << s.describe();
    for (std::int32_t c = 0; c < s.shape.chunks; ++c) {
      for (std::int32_t i = 0; i < microbatches_per_chunk(s.shape); ++i) {
        ASSERT_EQ(seen.count(task_of(TaskKind::forward, c, i)), 1U) << s.describe();
        ASSERT_NE(seen.count(task_of(TaskKind::backward, c, i)),
                  seen.count(task_of(TaskKind::backward_input, c, i)));
        ASSERT_EQ(seen.count(task_of(TaskKind::backward_weight, c, i)),
                  seen.count(task_of(TaskKind::backward_input, c, i)));
      }
    }
  });
}

// Megatron-LM and DualPipe run as one what no other stage waits for meanwhile, and neither a chunk's first
// forward, whose weights may still arrive, nor its last backward, whose gradients leave.
TEST_P(EverySchedule, PairsAForwardWithTheBackwardOfAnotherMicrobatch) {
  std::size_t pairs = 0;
  on_shapes_and_pairs([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    std::size_t here = 0;
    for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
      const auto row = rows.row(stage);
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!row[i].with_next) continue;
        ++here;
        ASSERT_LT(i + 1, row.size()) << s.describe();
        const Task &ahead = row[i], &back = row[i + 1];
        ASSERT_TRUE(ahead.kind == TaskKind::forward && back.kind == TaskKind::backward) << s.describe();
        ASSERT_FALSE(back.with_next) << s.describe();
        ASSERT_FALSE(ahead.chunk == back.chunk && ahead.microbatch == back.microbatch) << s.describe();
        ASSERT_GT(ahead.microbatch, MicrobatchId(0)) << s.describe();
        ASSERT_LT(back.microbatch.index(), microbatches_per_chunk(s.shape) - 1) << s.describe();
      }
    }
    const bool wanted = plan().pairs == Pairs::always || (plan().pairs == Pairs::on_demand && s.shape.pairs);
    ASSERT_TRUE(wanted || here == 0) << s.describe();
    pairs += here;
  });
  EXPECT_EQ(pairs > 0, plan().pairs != Pairs::never);
}

// Runs the stages against each other, each stage only when the input of its next task exists.
TEST_P(EverySchedule, IsCausalAndFreeOfDeadlock) {
  on_shapes_and_pairs([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    std::vector<std::size_t> next(static_cast<std::size_t>(s.shape.stages), 0);
    std::set<Task> done;
    const std::int32_t route = s.shape.chunks / s.shape.copies;
    const auto is_done = [&](Task t) {
      if (done.count(t) > 0) return true;
      const bool back = t.kind == TaskKind::backward_input;
      return back && done.count({TaskKind::backward, t.chunk, t.microbatch}) > 0;
    };
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
        std::size_t& n = next[at(stage)];
        if (n == rows.row(stage).size()) continue;
        const auto can_run = [&](const Task& task) {
          const bool first = task.chunk.index() % route == 0, last = (task.chunk.index() + 1) % route == 0;
          std::vector<Task> inputs;
          if (task.kind == TaskKind::forward) {
            if (!first) inputs.push_back({TaskKind::forward, task.chunk - 1, task.microbatch});
          } else if (task.kind == TaskKind::backward_weight) {
            inputs.push_back({TaskKind::backward_input, task.chunk, task.microbatch});
          } else {
            inputs.push_back({TaskKind::forward, task.chunk, task.microbatch});
            if (!last) inputs.push_back({TaskKind::backward_input, task.chunk + 1, task.microbatch});
          }
          return std::all_of(inputs.begin(), inputs.end(), is_done);
        };
        const Task task = rows.row(stage)[n];
        if (!can_run(task)) continue;
        if (task.with_next) {  // both or none
          if (!can_run(rows.row(stage)[n + 1])) continue;
          done.insert(rows.row(stage)[++n]);
        }
        done.insert(task);
        ++n, moved = true;
      }
    }
    ASSERT_EQ(done.size(), rows.value.size()) << s.describe() << ": stuck";
  });
}

TEST_P(EverySchedule, HoldsAsManyActivationsAsItSays) {
  on_shapes_and_pairs([&](const Shape& s) {
    const Csr<Task> rows = order(s.shape);
    for (std::int32_t stage = 0; stage < s.shape.stages; ++stage) {
      std::int32_t held = 0, most = 0;
      for (const Task& task : rows.row(stage)) {
        if (task.kind == TaskKind::forward) most = std::max(most, ++held);
        if (frees(task.kind)) --held;
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
      times.push_back({f, b / 2, b - b / 2, f, b, b});
    }
    PipelineScratch scratch;
    PipelineTimes out;
    compose_pipeline(s.shape, plan(), times, {}, {}, scratch, out);
    std::vector<SimTime> busy(static_cast<std::size_t>(s.shape.stages));
    SimTime one{};
    for (std::size_t c = 0; c < times.size(); ++c) {
      const SimTime pass = times[c].forward + times[c].last_backward;
      // Nobody waits for a weight gradient; that of the first chunk comes last.
      const bool waits_for_all = c == 0 || (!plan().splits_backward && !plan().mixes_backwards);
      if (c < times.size() / static_cast<std::size_t>(s.shape.copies))
        one += waits_for_all ? pass : times[c].forward + times[c].backward_input;
      busy[at(s.stage_of[c])] += pass * microbatches_per_chunk(s.shape);
    }
    ASSERT_GE(out.end, one) << s.describe();
    ASSERT_GE(out.end, *std::max_element(busy.begin(), busy.end())) << s.describe();
  });
}

TEST_P(EverySchedule, SlicesAreItsOrder) {
  if (plan().slice == nullptr) return;  // optional
  on_shapes_and_pairs([&](const Shape& s) {
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
        for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(row[i].with_next, pieces[i].with_next);
      }
    }
  });
}

TEST_P(EverySchedule, KeepsThePromisesOfItsSteadyStretch) {
  ASSERT_TRUE(plan().steady == nullptr || plan().slice != nullptr);
  ASSERT_NE(plan().slice == nullptr, plan().plan == nullptr);
  if (plan().steady == nullptr) return;  // optional
  bool repeats = false;
  on_shapes_and_pairs([&](const Shape& s) {
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
      std::map<std::pair<TaskKind, ChunkId>, std::int32_t> next_of, per_repeat;  // by kind and chunk
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(row.size()); ++i) {
        const Task& task = row[at(i)];
        const auto pass = std::pair(task.kind, task.chunk);
        if (plan().mixes_backwards && task.kind != TaskKind::forward) {
          // Input gradients of whole and of split backwards in one order; weight gradients of split ones
          // anyhow.
          if (task.kind != TaskKind::backward_weight) {
            ASSERT_EQ(task.microbatch.index(), (next_of[{TaskKind::backward, task.chunk}]++)) << s.describe();
          }
        } else {
          ASSERT_EQ(task.microbatch.index(), (next_of[pass]++)) << s.describe();
        }
        if (i < stretch.first || i >= end) continue;
        ASSERT_TRUE(!plan().mixes_backwards || task.kind == TaskKind::forward ||
                    task.kind == TaskKind::backward);
        ASSERT_FALSE(task.with_next && i + 1 == end) << s.describe();
        ASSERT_FALSE(row[at(i - 1)].with_next && i == stretch.first) << s.describe();
        ASSERT_FALSE(task.kind == TaskKind::forward && task.microbatch.index() == 0) << s.describe();
        ASSERT_FALSE(task.kind != TaskKind::forward &&
                     task.microbatch.index() == microbatches_per_chunk(s.shape) - 1)
            << s.describe();
        if (i < stretch.first + stretch.length) ++per_repeat[{task.kind, task.chunk}];
        if (i + stretch.length >= end) continue;
        Task later = task;
        later.microbatch += stretch.advance;
        ASSERT_EQ(row[at(i + stretch.length)], later) << s.describe();
      }
      for (const auto& [pass, count] : next_of) ASSERT_EQ(per_repeat[pass], stretch.advance) << s.describe();
    }
    // The composer throws if the stages cannot run repeat by repeat.
    const std::vector<ChunkTimes> times(
        static_cast<std::size_t>(s.shape.chunks),
        {SimTime(2), SimTime(2), SimTime(1), SimTime(2), SimTime(3), SimTime(3)});
    PipelineScratch scratch;
    PipelineTimes out;
    ASSERT_NO_THROW(compose_pipeline(s.shape, plan(), times, {}, {}, scratch, out)) << s.describe();
  });
  EXPECT_TRUE(repeats);
}

INSTANTIATE_TEST_SUITE_P(Table, EverySchedule,
                         ::testing::ValuesIn(schedule_table().begin(), schedule_table().end()),
                         [](const auto& tested) {
                           std::string name = tested.param->name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(ScheduleTable, HoldsTheKnownSchedules) {
  for (const char* name : {"1f1b", "breadth-first", "dualpipe", "dualpipev", "gpipe", "interleaved", "v-half",
                           "v-min", "zb-1p", "zb-2p", "zb-h1", "zb-h2", "zb-v"})
    EXPECT_GE(find_named(schedule_table(), name), 0) << name;
}

}  // namespace
}  // namespace echo::timeline
