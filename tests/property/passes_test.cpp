// Which blocks a step runs, and how often: counted from the passes of each chunk, and task by task.
#include "simulate/step/passes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/at.hpp"
#include "simulate/unfold/step_timeline.hpp"
#include "tests/support/random_recipe.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using timeline::TaskKind;
using training::TrainingConfig;
using workload::BlockRun;
using workload::Workload;

constexpr std::uint64_t seeds = support::is_sanitized ? 60 : 2400;
// Of as many as are drawn.
constexpr int at_least(int of_all) { return support::is_sanitized ? 0 : of_all; }

// The slow twin: every task of a stage, one after the other.
class TaskByTask {
 public:
  TaskByTask(const Workload& work, const training::RankLayout& layout)
      : work_(work), layout_(layout), blocks_(static_cast<std::size_t>(work.block_count)) {}

  void count(const Slice& slice) {
    if (slice.is_pair && work_.pairs.rows() > 0) return add(work_.pairs.row(row_of(slice)), 1);
    count(slice.task, slice.is_last);
    if (slice.is_pair) count(slice.partner, false);
  }
  [[nodiscard]] const std::vector<std::int64_t>& blocks() const { return blocks_; }

 private:
  void count(const timeline::Task& task, bool is_last) {
    const std::size_t chunk = at(task.chunk);
    const auto& input = work_.input_gradients.rows() > 0 ? work_.input_gradients : work_.backward;
    switch (task.kind) {
      case TaskKind::forward:
        if (task.microbatch == MicrobatchId(0) && !work_.first_forward[chunk].is_none())
          return add(work_.first_forward[chunk]);
        return add(work_.forward.row(task.chunk), 1);
      case TaskKind::backward:
        if (is_last && !work_.last_backward[chunk].is_none()) return add(work_.last_backward[chunk]);
        return add(work_.backward.row(task.chunk), 1);
      case TaskKind::backward_input:
        return add(input.row(task.chunk), 1);
      case TaskKind::backward_weight:
        break;
    }
    if (!is_last || work_.last_backward[chunk].is_none())
      return add(work_.weight_gradients.row(task.chunk), 1);
    add(work_.last_backward[chunk]);  // of both halves, one of which ran before
    add(input.row(task.chunk), -1);
  }

  // Rows follow the chunks of forwards, each with the chunks of its stage.
  [[nodiscard]] std::int32_t row_of(const Slice& slice) const {
    std::int32_t row = 0;
    for (std::int32_t ahead = 0;; ++ahead)
      for (std::int32_t back = 0; back < std::ssize(layout_.stage_of_chunk); ++back) {
        if (layout_.stage_of_chunk[at(ahead)] != layout_.stage_of_chunk[at(back)]) continue;
        if (ChunkId(ahead) == slice.task.chunk && ChunkId(back) == slice.partner.chunk) return row;
        ++row;
      }
  }

  void add(BlockId block) { ++blocks_[at(block)]; }
  void add(std::span<const BlockRun> runs, std::int64_t times) {
    for (const BlockRun& run : runs) blocks_[at(run.block)] += times * run.count;
  }

  const Workload& work_;
  const training::RankLayout& layout_;
  std::vector<std::int64_t> blocks_;
};

// How often each kernel and collective runs.
std::vector<std::int64_t> ops_of(const Workload& work, const std::vector<std::int64_t>& blocks) {
  std::vector<std::int64_t> ops(work.kernels.size() + work.collectives.size());
  for (std::size_t block = 0; block < blocks.size(); ++block)
    for (const WorkId id : work.blocks[block].work) ops[at(id)] += blocks[block];
  return ops;
}

// Block by block, but where some backwards are split: a last one that is split and carries no traffic counts
// as a whole one, which has the same ops.
TEST(Passes, RunWhatTheTasksOfAStepRun) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  std::set<std::int32_t> schedules;
  int composed = 0, split = 0, woven = 0, copied = 0, bent = 0, by_block = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrainingConfig c = seed % 3 == 0 ? support::random_config(seed) : support::small_world(seed);
    const StepTimeline timeline = unfold_step(c, catalog, presets().calibration, ws);
    if (timeline.report.status != training::Status::ok) continue;
    const SimulatedStep& step = ws.step;
    ++composed;
    schedules.insert(c.schedule.index());
    split += step.work.backwards != workload::Backward::whole;
    woven += step.work.pairs.rows() > 0;
    copied += step.layout.copies > 1;
    bent += step.layout.stage_of_chunk.front() == step.layout.stage_of_chunk.back() && c.degrees.pipeline > 1;
    for (std::int32_t stage = 0; stage < c.degrees.pipeline; ++stage) {
      TaskByTask twin(step.work, step.layout);
      for (const Slice& slice : timeline.slices)
        if (slice.stage == stage && slice.kind == SliceKind::task) twin.count(slice);
      const std::vector<std::int64_t> blocks =
          blocks_in_step(step.work, step.layout, step.composed.pipeline,
                         training::microbatches_of(c) / step.layout.copies, stage);
      const std::string what = "seed " + std::to_string(seed) + " stage " + std::to_string(stage) +
                               " schedule " + timeline::schedule_table()[at(c.schedule.index())]->name;
      ASSERT_EQ(ops_of(step.work, blocks), ops_of(step.work, twin.blocks())) << what;
      if (step.work.backwards == workload::Backward::both) continue;
      ++by_block;
      ASSERT_EQ(blocks, twin.blocks()) << what;
    }
  }
  EXPECT_GT(composed, at_least(300));
  EXPECT_GE(std::ssize(schedules), at_least(static_cast<int>(timeline::schedule_table().size())));
  EXPECT_GT(by_block, at_least(300));
  EXPECT_GT(split, at_least(100));
  EXPECT_GT(woven, at_least(10));
  EXPECT_GT(copied, at_least(10));
  EXPECT_GT(bent, at_least(10));
}

}  // namespace
}  // namespace echo::simulate
