// Steps of unequal GPUs against a simulation that gives every gpu rank of a small world its own pace: each
// runs its ops one by one, and a collective starts when the last rank of its group is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/at.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/draw_steps.hpp"
#include "tests/reference/pipeline_twin.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using timeline::Task;
using timeline::TaskKind;

struct Rank {
  std::int32_t stage = 0, in_stage = 0;
  double pace = 1.0;
  std::size_t task = 0;   // of its stage's order
  std::size_t block = 0;  // of that task's blocks
  OpId op{0};             // of that block
  std::map<Lane, SimTime> free;
  SimTime entry{};
  std::map<OpId, SimTime> ended;  // of this block's ops
  bool entered = false;
};

// Megatron's order of ranks: tensor, context, data, pipeline. Overlapped hops, no slowdown, no ZeRO-3.
class AllRanks {
 public:
  AllRanks(const training::TrainingConfig& config, const training::FrameworkSpec& framework,
           const Workspace& ws)
      : config_(config), framework_(framework), ws_(ws) {
    const char* name = timeline::schedule_table()[at(config.schedule.index())]->name;
    orders_ = timeline::twin::orders_of(name, config.degrees.pipeline, config.degrees.virtual_stages,
                                        training::microbatches_of(config));
  }

  SimTime step(const Skew& skew, std::int32_t draw) {
    const std::int32_t world = training::gpus_of(config_.degrees),
                       per_stage = world / config_.degrees.pipeline;
    ranks_.assign(at(world), {});
    for (std::int32_t r = 0; r < world; ++r) {
      ranks_[at(r)].stage = r / per_stage, ranks_[at(r)].in_stage = r % per_stage;
      ranks_[at(r)].pace = pace_of(skew, draw, r);
    }
    output_.clear(), meetings_.clear(), link_.clear(), count_.clear();
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t r = 0; r < world; ++r)
        while (advance(r)) moved = true;
    }
    SimTime agreed{}, updates{};
    for (const Rank& rank : ranks_) {
      EXPECT_EQ(rank.task, orders_[at(rank.stage)].size());
      SimTime end = std::max(rank.free.at(Lane::compute), data_end(rank));
      for (const auto* tail : {&ws_.step.work.tail.gradients, &ws_.step.work.tail.grad_norm})
        for (const auto& run : tail->row(rank.stage)) end += run.count * ws_.step.prices.alone[at(run.work)];
      SimTime update{};
      for (const auto& run : ws_.step.work.tail.update.row(rank.stage))
        update += run.count * ws_.step.prices.alone[at(run.work)];
      agreed = std::max(agreed, end), updates = std::max(updates, update);
    }
    return agreed + updates + framework_.host_per_step;
  }

 private:
  [[nodiscard]] SimTime data_end(const Rank& rank) const {
    const auto found = rank.free.find(Lane::data);
    return found == rank.free.end() ? SimTime::zero() : found->second;
  }

  [[nodiscard]] std::vector<BlockId> blocks_of(const Task& t, bool first, bool last) const {
    const bool ahead = t.kind == TaskKind::forward;
    if (ahead && first && !ws_.step.work.first_forward[at(t.chunk)].is_none())
      return {ws_.step.work.first_forward[at(t.chunk)]};
    if (!ahead && last && !ws_.step.work.last_backward[at(t.chunk)].is_none())
      return {ws_.step.work.last_backward[at(t.chunk)]};
    std::vector<BlockId> out;
    for (const workload::BlockRun& run :
         (ahead ? ws_.step.work.forward : ws_.step.work.backward).row(t.chunk))
      out.insert(out.end(), at(run.count), run.block);
    return out;
  }

  // One op of one rank; false where it has to wait for another rank, or is done.
  bool advance(std::int32_t r) {
    Rank& rank = ranks_[at(r)];
    const auto& order = orders_[at(rank.stage)];
    if (rank.task == order.size()) return false;
    const Task& task = order[rank.task];
    if (!rank.entered) {
      const SimTime* input = input_of(rank, task);
      if (input == nullptr) return false;
      SimTime& compute = rank.free[Lane::compute];
      compute = std::max(compute, *input);
      rank.entered = true, rank.block = 0, rank.op = OpId(0), rank.entry = compute;
      rank.ended.clear();
    }
    const auto blocks = blocks_of(task, task.microbatch.index() == 0,
                                  task.microbatch.index() + 1 == training::microbatches_of(config_));
    const workload::OpGraph& block = ws_.step.work.blocks[at(blocks[rank.block])];
    const OpId op = rank.op;
    const WorkId work = block.work[at(op)];
    const Lane lane = block.lane[at(op)];
    SimTime begin = std::max(rank.free[lane], rank.entry);
    for (const OpId need : block.needs.row(op)) begin = std::max(begin, rank.ended.at(need));
    SimTime end{};
    if (lane == Lane::compute) {
      const double more = (rank.pace - 1.0) * ws_.step.prices.bottlenecks[at(work)][Bottleneck::arithmetic];
      end = begin + ws_.step.prices.alone[at(work)] + SimTime(std::llround(more));
    } else {
      const SimTime* met = meet(r, {rank.stage, rank.task, rank.block, op}, lane, work, begin);
      if (met == nullptr) return false;
      end = *met + ws_.step.prices.alone[at(work)];
    }
    rank.free[lane] = rank.ended[op] = end;
    rank.op += 1;
    if (rank.op.index() < block.size()) return true;
    rank.op = OpId(0), rank.entry = rank.free[Lane::compute];
    rank.ended.clear();
    if (++rank.block < blocks.size()) return true;
    hand_on(rank, task);
    rank.entered = false;
    ++rank.task;
    return true;
  }

  using Place = std::tuple<std::int32_t, std::size_t, std::size_t, OpId>;
  // When all ranks of the group are there; null before.
  const SimTime* meet(std::int32_t r, Place place, Lane lane, WorkId work, SimTime begin) {
    const auto& group =
        ws_.step.work.collectives[at(collective_of(work, length_of(ws_.step.work.kernels)))].group;
    const Rank& rank = ranks_[at(r)];
    const std::int32_t tensor = config_.degrees.tensor, context = config_.degrees.context;
    const std::int32_t size = group.ranks;
    const std::int32_t stride =
        lane == Lane::tensor ? 1 : tensor;  // context and data groups lie across tensor's
    const std::int32_t of_group = rank.in_stage / (stride * size) * stride + rank.in_stage % stride;
    EXPECT_TRUE(lane == Lane::tensor    ? size == tensor
                : lane == Lane::context ? size == context
                                        : lane == Lane::data);
    auto& meeting = meetings_[{place, lane == Lane::tensor ? 0 : lane == Lane::context ? 1 : 2, of_group}];
    meeting.there[r] = begin;
    if (static_cast<std::int32_t>(meeting.there.size()) < size) return nullptr;
    meeting.start = SimTime::zero();
    for (const auto& [member, time] : meeting.there) meeting.start = std::max(meeting.start, time);
    return &meeting.start;
  }

  const SimTime* input_of(const Rank& rank, const Task& t) {
    static const SimTime zero{};
    const std::int32_t chunks = static_cast<std::int32_t>(ws_.step.layout.stage_of_chunk.size());
    Task source = t;
    if (t.kind == TaskKind::forward) {
      if (t.chunk == ChunkId(0)) return &zero;
      source.chunk = t.chunk - 1;
    } else if (t.chunk.index() == chunks - 1) {
      source.kind = TaskKind::forward;
    } else {
      source.chunk = t.chunk + 1;
    }
    const auto found = output_.find({source, rank.in_stage});
    return found == output_.end() ? nullptr : &found->second;
  }

  void hand_on(Rank& rank, const Task& task) {
    const SimTime done = rank.free[Lane::compute];
    const bool ahead = task.kind == TaskKind::forward;
    const ChunkId to = ahead ? task.chunk + 1 : task.chunk - 1;
    const auto chunks = static_cast<std::int32_t>(ws_.step.layout.stage_of_chunk.size());
    SimTime hop{};
    if (!to.is_none() && to.index() < chunks && ws_.step.layout.stage_of_chunk[at(to)] != rank.stage)
      hop = ws_.step.prices.hop_forward[at(std::min(task.chunk, to))];
    SimTime& link = link_[{rank.stage, rank.in_stage, ahead}];
    output_[{task, rank.in_stage}] = hop > SimTime::zero() ? (link = std::max(link, done) + hop) : done;
  }

  struct Meeting {
    std::map<std::int32_t, SimTime> there;
    SimTime start{};
  };
  const training::TrainingConfig& config_;
  const training::FrameworkSpec& framework_;
  const Workspace& ws_;
  timeline::twin::Orders orders_;
  std::vector<Rank> ranks_;
  std::map<std::pair<Task, std::int32_t>, SimTime> output_;
  std::map<std::tuple<Place, int, std::int32_t>, Meeting> meetings_;
  std::map<std::tuple<std::int32_t, std::int32_t, bool>, SimTime> link_;
  std::map<std::pair<TaskKind, int>, int> count_;
};

TEST(SkewTwin, StaysWithinAPercentOfEveryRankWithItsOwnPace) {
  Catalog catalog = support::catalog_with_roomy_gpus();
  for (training::FrameworkSpec& f : catalog.frameworks) f.host_per_kernel = f.host_per_peer = SimTime::zero();
  Calibration calibration = support::presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  const Skew skew{.sigma = 0.03, .draws = 1, .seed = 5};
  const Skew alike{.sigma = 0.0, .draws = 1, .seed = 5};
  int compared = 0, moved = 0;
  double worst_above = 0.0, worst_below = 0.0;
  for (std::uint64_t seed = 0; compared < 60 && seed < 4000; ++seed) {
    training::TrainingConfig c = support::random_config(seed);
    c.overlap.pipeline = true;
    c.overlap.param_gather = c.overlap.tensor = false;
    c.zero = std::min(c.zero, training::ZeroStage::optimizer);
    c.zero_group = 0;
    if (training::gpus_of(c.degrees) > 32 || c.degrees.expert > 1) continue;
    if (catalog.model(c.model).experts > 0) continue;
    Workspace ws;
    const StepReport r = simulate(c, catalog, calibration, ws, 0, skew);
    if (r.status != training::Status::ok) continue;
    Workspace fresh;
    static_cast<void>(simulate(c, catalog, calibration, fresh));
    AllRanks twin(c, catalog.framework(c), fresh);
    // With equal GPUs the twin is the step, where gradient traffic does not queue over chunks.
    const double equal = to_seconds(twin.step(alike, 0)) / to_seconds(r.step);
    ASSERT_NEAR(equal, 1.0, 0.01) << "seed " << seed;
    const double error = to_seconds(r.step_median) / to_seconds(twin.step(skew, 0)) * equal - 1.0;
    worst_above = std::max(worst_above, error), worst_below = std::min(worst_below, error);
    EXPECT_NEAR(error, 0.0, 0.01) << "seed " << seed;
    ++compared, moved += r.step_median > r.step + r.step / 100;
  }
  std::printf("%d worlds of unequal GPUs: %+.3f %% to %+.3f %% of the naive step\n", compared,
              100 * worst_below, 100 * worst_above);
  EXPECT_GT(compared, 30);
  EXPECT_GT(moved, compared / 3);
}

}  // namespace
}  // namespace echo::simulate
