// The slow twin of the whole timeline: every op of every layer of every microbatch of every stage, started
// one by one as soon as its lane, its inputs and its microbatch allow. Orders come from the schedule twin;
// below the op list nothing is shared with the fast path. Slowdown is off: lanes then do not change each
// other's rates.
#include <gtest/gtest.h>

#include <map>

#include "base/at.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/compose_chunks.hpp"
#include "simulate/step/compose_step.hpp"
#include "tests/reference/pair_twin.hpp"
#include "tests/reference/pipeline_twin.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using timeline::Task;
using timeline::TaskKind;

struct TwinStage {
  std::map<Lane, SimTime> lane_free;
  SimTime compute_end{}, data_end{};
};

class StepTwin {
 public:
  StepTwin(const training::TrainingConfig& config, const Workspace& ws) : config_(config), ws_(ws) {}

  std::vector<TwinStage> run(SimTime fault = {}) {
    const int p = config_.degrees.pipeline, v = config_.degrees.virtual_stages;
    const int m = training::microbatches_of(config_);
    const char* name = timeline::schedule_table()[at(config_.schedule.index())]->name;
    const auto orders = config_.recipe.overlap_ep ? timeline::pair_twin::combined_1f1b(p, v, m)
                                                  : timeline::twin::orders_of(name, p, v, m);
    std::vector<TwinStage> stages(static_cast<std::size_t>(p));
    std::vector<std::size_t> next(static_cast<std::size_t>(p), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (int s = 0; s < p; ++s)
        while (next[at(s)] < orders[at(s)].size()) {
          const Task& task = orders[at(s)][next[at(s)]];
          const auto input = input_of(task);
          if (input && arrival_.count(*input) == 0) break;
          if (task.with_next) {
            const Task& back = orders[at(s)][next[at(s)] + 1];
            if (arrival_.count(*input_of(back)) == 0) break;
            run_pair(stages[at(s)], s, task, back, fault);
            next[at(s)] += 2;
            moved = true;
            continue;
          }
          run_task(stages[at(s)], s, task, input ? arrival_.at(*input) : SimTime::zero(), fault);
          ++next[at(s)];
          moved = true;
        }
    }
    return stages;
  }

 private:
  [[nodiscard]] int chunks() const { return static_cast<int>(ws_.step.layout.chunk_layers.size()); }

  [[nodiscard]] std::optional<Task> input_of(const Task& t) const {
    if (t.kind == TaskKind::forward)
      return t.chunk == ChunkId(0) ? std::nullopt : std::optional(Task{t.kind, t.chunk - 1, t.microbatch});
    if (t.chunk.index() == chunks() - 1) return Task{TaskKind::forward, t.chunk, t.microbatch};
    return Task{t.kind, t.chunk + 1, t.microbatch};
  }

  // The blocks the task consists of, one entry per run.
  [[nodiscard]] std::vector<BlockId> blocks_of(const Task& t) {
    const bool ahead = t.kind == TaskKind::forward;
    const int ran = ++count_[{t.kind, t.chunk}];
    const std::size_t chunk = at(t.chunk);
    if (ahead && ran == 1 && !ws_.step.work.first_forward[chunk].is_none())
      return {ws_.step.work.first_forward[chunk]};
    if (!ahead && ran == training::microbatches_of(config_) && !ws_.step.work.last_backward[chunk].is_none())
      return {ws_.step.work.last_backward[chunk]};
    std::vector<BlockId> out;
    for (const workload::BlockRun& run :
         (ahead ? ws_.step.work.forward : ws_.step.work.backward).row(t.chunk))
      out.insert(out.end(), at(run.count), run.block);
    return out;
  }

  // The row of the pair: rows of one forward chunk follow each other, one for each backward of its stage.
  void run_pair(TwinStage& stage, int s, const Task& ahead, const Task& back, SimTime fault) {
    std::int32_t row = 0;
    for (int f = 0; f <= ahead.chunk.index(); ++f)
      for (int b = 0; b < chunks() && !(f == ahead.chunk.index() && b == back.chunk.index()); ++b)
        row += ws_.step.layout.stage_of_chunk[at(f)] == ws_.step.layout.stage_of_chunk[at(b)];
    std::vector<BlockId> blocks;
    for (const workload::BlockRun& run : ws_.step.work.pairs.row(row))
      blocks.insert(blocks.end(), at(run.count), run.block);
    ++count_[{ahead.kind, ahead.chunk}], ++count_[{back.kind, back.chunk}];
    const auto input = input_of(ahead);
    const SimTime there = input ? arrival_.at(*input) : SimTime::zero();
    run_blocks(stage, blocks, std::max(there, arrival_.at(*input_of(back))), fault);
    for (const Task& task : {ahead, back}) hand_on(stage, s, task);
  }

  void run_task(TwinStage& stage, int s, const Task& task, SimTime arrival, SimTime fault) {
    run_blocks(stage, blocks_of(task), arrival, fault);
    if (task.kind != TaskKind::forward) stage.data_end = stage.lane_free[Lane::data];
    hand_on(stage, s, task);
  }

  void run_blocks(TwinStage& stage, const std::vector<BlockId>& blocks, SimTime arrival, SimTime fault) {
    const SimTime start = std::max(stage.lane_free[Lane::compute], arrival);
    stage.lane_free[Lane::compute] = start + fault;  // fault: what a broken path would get wrong
    for (const BlockId id : blocks) {
      const workload::OpGraph& block = ws_.step.work.blocks[at(id)];
      std::map<OpId, SimTime> end;
      const SimTime entry =
          stage.lane_free[Lane::compute];  // a block's ops work on what the block before made
      for (const OpId op : ids<OpId>(block.size())) {
        SimTime& free = stage.lane_free[block.lane[at(op)]];
        SimTime begin = std::max(free, entry);
        for (const OpId need : block.needs.row(op)) begin = std::max(begin, end.at(need));
        free = end[op] = begin + ws_.step.prices.alone[at(block.work[at(op)])];
      }
    }
    stage.compute_end = stage.lane_free[Lane::compute];
  }

  void hand_on(const TwinStage& stage, int s, const Task& task) {
    const SimTime done = stage.compute_end;
    const ChunkId to = task.kind == TaskKind::forward ? task.chunk + 1 : task.chunk - 1;
    const bool leaves = !to.is_none() && to.index() < chunks() && ws_.step.layout.stage_of_chunk[at(to)] != s;
    SimTime hop{};
    if (leaves) hop = ws_.step.prices.hop_forward[at(std::min(task.chunk, to))];
    SimTime& link = link_[{s, task.kind == TaskKind::forward}];
    arrival_[task] = hop > SimTime::zero() ? (link = std::max(link, done) + hop) : done;
  }

  const training::TrainingConfig& config_;
  const Workspace& ws_;
  std::map<Task, SimTime> arrival_;
  std::map<std::pair<TaskKind, ChunkId>, int> count_;
  std::map<std::pair<int, bool>, SimTime> link_;
};

struct Both {
  std::vector<timeline::StageTimes> fast;
  std::vector<TwinStage> slow;
};

// Small models keep the twin affordable; hops overlap (blocking ones have a twin of their own).
std::optional<Both> compose_both(std::uint64_t seed, bool data_traffic, SimTime fault = {}) {
  Catalog catalog = support::catalog_with_roomy_gpus();
  for (training::FrameworkSpec& f : catalog.frameworks)
    f.host_per_kernel = SimTime::zero();  // binds per pass only
  Calibration calibration = support::presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  training::TrainingConfig c = support::random_config(seed);
  c.overlap.pipeline = true;
  c.overlap.grad_reduce = data_traffic;
  c.overlap.param_gather = false;
  // Shards of weights and gradients move in every pass and cross its border: they have a test of their own.
  c.zero = std::min(c.zero, training::ZeroStage::optimizer);
  Workspace ws;
  if (simulate(c, catalog, calibration, ws).status != training::Status::ok) return std::nullopt;
  return Both{ws.step.composed.pipeline.stages, StepTwin(c, ws).run(fault)};
}

TEST(StepTwin, EqualsTheFastPathWhereNoTransferCrossesAChunkBorder) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto both = compose_both(seed, false);
    if (!both) continue;
    ++compared;
    for (std::size_t s = 0; s < both->fast.size(); ++s)
      ASSERT_EQ(both->fast[s].compute_end, both->slow[s].compute_end) << "seed " << seed << " stage " << s;
  }
  EXPECT_GT(compared, 50);
}

TEST(StepTwin, NoticesAFaultOfOnePicosecondATask) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    if (const auto both = compose_both(seed, false, SimTime(1))) {
      EXPECT_NE(both->fast.back().compute_end, both->slow.back().compute_end) << "seed " << seed;
    }
}

// Gradient buckets of one chunk queue behind those of the chunk before. The fast path knows a chunk's buckets
// only as a first start, a sum and a lag, so it is never late, and early by no more than the queue the chunk
// found.
TEST(StepTwin, BoundsTheGradientTrafficThatCrossesChunkBorders) {
  int compared = 0, exact = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto both = compose_both(seed, true);
    if (!both) continue;
    ++compared;
    for (std::size_t s = 0; s < both->fast.size(); ++s) {
      ASSERT_EQ(both->fast[s].compute_end, both->slow[s].compute_end) << "seed " << seed << " stage " << s;
      ASSERT_LE(both->fast[s].data_end, both->slow[s].data_end) << "seed " << seed << " stage " << s;
      const double fast = to_seconds(std::max(both->fast[s].data_end, both->fast[s].compute_end));
      const double slow = to_seconds(std::max(both->slow[s].data_end, both->slow[s].compute_end));
      ASSERT_GE(fast, 0.99 * slow) << "seed " << seed << " stage " << s;
      exact += both->fast[s].data_end == both->slow[s].data_end;
    }
  }
  EXPECT_GT(compared, 50);
  EXPECT_GT(exact, compared);  // most stages: one chunk, nothing crosses
}

// With full shards every pass starts gathering at its own start; in truth its gathers queue behind what the
// pass before left on the lane. So the fast path is early, by no more than all passes' leftovers together.
TEST(StepTwin, BoundsTheTrafficOfFullShards) {
  Catalog catalog = support::catalog_with_roomy_gpus();
  for (training::FrameworkSpec& f : catalog.frameworks) f.host_per_kernel = SimTime::zero();
  Calibration calibration = support::presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    training::TrainingConfig c = support::random_config(seed);
    c.zero = training::ZeroStage::parameters;
    c.degrees.pipeline = c.degrees.virtual_stages = 1;
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
    Workspace ws;
    if (c.degrees.data == 1 || simulate(c, catalog, calibration, ws).status != training::Status::ok) continue;
    ++compared;
    const SimTime fast = ws.step.composed.pipeline.stages[0].compute_end,
                  slow = StepTwin(c, ws).run()[0].compute_end;
    SimTime leftovers{};
    for (const BlockId block : {ws.step.work.whole_forward[0], ws.step.work.last_backward[0]})
      leftovers += ws.step.composed.times[at(block)].lag[at(Lane::data)];
    ASSERT_LE(fast, slow) << "seed " << seed;
    ASSERT_LE(slow, fast + training::microbatches_of(c) * leftovers) << "seed " << seed;
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace echo::simulate
