// The pipeline is composed once more with every task recorded. The time between two tasks of a stage is a
// blocking transfer where one accounts for it (the send after the first task, the receive before the
// second), else waiting. After its last task a stage waits for its gradient traffic, reduces the remaining
// gradients, and, unless stages continue by themselves (compose_step.cpp), waits for the slowest stage at
// the gradient norm.
#include "simulate/unfold/step_timeline.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "simulate/prices/host_time.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/compose_step.hpp"

namespace echo::simulate {

namespace {

using timeline::PlacedTask;
using timeline::Task;
using timeline::TaskKind;
using Parts = std::array<SimTime, time_category_count>;

SimTime& of(Parts& parts, TimeCategory part) { return parts[at(part)]; }

Parts difference(const Parts& whole, const Parts& part) {
  Parts rest{};
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = whole[i] - part[i];
  return rest;
}

class Unfolding {
 public:
  Unfolding(const StepInput& input, const ComposedStep& step, StepTimeline& out)
      : input_(input), config_(input.config), step_(step), out_(out) {}

  void run(std::vector<PlacedTask> placed) {
    std::stable_sort(placed.begin(), placed.end(), [](const PlacedTask& a, const PlacedTask& b) {
      return a.stage != b.stage ? a.stage < b.stage : a.start < b.start;
    });
    find_agreement();
    std::size_t next = 0;
    for (std::int32_t stage = 0; stage < config_.degrees.pipeline; ++stage) {
      clock_ = sent_ = SimTime::zero();
      for (; next < placed.size() && placed[next].stage == stage; ++next) {
        const bool is_pair = placed[next].task.with_next;
        run_task(placed[next], is_pair ? &placed[next + 1] : nullptr);
        next += is_pair;
      }
      end_stage(stage);
    }
  }

 private:
  [[nodiscard]] const ChunkCost& cost_of(const Task& task) const { return step_.chunks[at(task.chunk)]; }

  void add(SliceKind kind, std::int32_t stage, SimTime end, TimeCategory part) {
    if (end <= clock_) return;
    Slice slice{.kind = kind, .stage = stage, .start = clock_, .end = end};
    of(slice.exposed, part) = end - clock_;
    out_.slices.push_back(slice);
    clock_ = end;
  }

  // Fills the time until `end`: its last `receive` is a transfer, and its first part, up to sent_, another.
  void wait_until(std::int32_t stage, SimTime end, SimTime receive) {
    add(SliceKind::transfer, stage, std::min(sent_, end), TimeCategory::pp_comm);
    add(SliceKind::wait, stage, end - std::min(receive, end - clock_), TimeCategory::bubble);
    add(SliceKind::transfer, stage, end, TimeCategory::pp_comm);
  }

  // Blocking transfers into and out of a task.
  [[nodiscard]] SimTime hop(const Task& task, bool towards) const {
    if (config_.overlap.pipeline || task.kind == TaskKind::backward_weight) return SimTime::zero();
    const bool before = towards == (task.kind == TaskKind::forward);  // the border towards chunk - 1
    const ChunkId border = before ? task.chunk - 1 : task.chunk;
    const auto& hops =
        task.kind == TaskKind::forward ? input_.prices.hop_forward : input_.prices.hop_backward;
    if (border.is_none() || border.index() >= length_of(hops)) return SimTime::zero();
    return hops[at(border)];
  }

  void run_task(const PlacedTask& placed, const PlacedTask* partner) {
    SimTime receive = hop(placed.task, true), send = hop(placed.task, false);
    if (partner != nullptr) receive += hop(partner->task, true), send += hop(partner->task, false);
    wait_until(placed.stage, placed.start, receive);
    Slice slice{.kind = SliceKind::task,
                .stage = placed.stage,
                .start = placed.start,
                .end = placed.end,
                .task = placed.task};
    if (partner != nullptr) {
      slice.is_pair = true;
      slice.partner = partner->task;
      slice.exposed = exposed_of_pair(placed.task, partner->task);
    } else {
      slice.is_last = is_last(placed.task);
      slice.exposed = exposed_of(placed.task, slice.is_last);
    }
    // A first forward may have waited for its weights.
    SimTime explained{};
    for (const SimTime part : slice.exposed) explained += part;
    of(slice.exposed, TimeCategory::zero_comm) += slice.end - slice.start - explained;
    out_.slices.push_back(slice);
    clock_ = placed.end;
    sent_ = placed.end + send;
  }

  // The parts as composed together, or the sum of both where neither hides any of the other.
  [[nodiscard]] Parts exposed_of_pair(const Task& ahead, const Task& back) const {
    if (!step_.pairs.empty())
      return step_.pairs[at(pair_of(input_.layout, {ahead.chunk, back.chunk}))].exposed;
    Cost both = cost_of(ahead)[PassKind::forward];
    both.add(cost_of(back)[PassKind::backward], 1);
    return both.exposed;
  }

  [[nodiscard]] bool is_last(const Task& task) const {
    if (task.kind == TaskKind::forward) return false;
    if (input_.schedule.splits_backward && task.kind == TaskKind::backward_input) return false;
    return task.microbatch.index() + 1 == input_.microbatches();
  }

  [[nodiscard]] Parts exposed_of(const Task& task, bool last) const {
    const ChunkCost& cost = cost_of(task);
    const Parts& exposed = cost[pass_of(task, last)].exposed;
    if (task.kind != TaskKind::backward_weight || !last) return exposed;
    return difference(exposed, cost[PassKind::input_gradients].exposed);
  }

  void account(std::int32_t stage, SliceKind kind, std::span<const workload::WorkRun> runs) {
    for (const workload::WorkRun& run : runs)
      add(kind, stage, clock_ + run.count * input_.prices.alone[at(run.work)], run.part);
  }

  [[nodiscard]] SimTime sum_of(std::span<const workload::WorkRun> runs) const {
    SimTime sum{};
    for (const workload::WorkRun& run : runs) sum += run.count * input_.prices.alone[at(run.work)];
    return sum;
  }

  // When the slowest stage has agreed on the gradient norm, and how long the longest update takes.
  void find_agreement() {
    const workload::StepTail& tail = input_.work.tail;
    for (std::int32_t stage = 0; stage < config_.degrees.pipeline; ++stage) {
      const timeline::StageTimes& times = step_.pipeline.stages[at(stage)];
      agreed_ = std::max(agreed_, std::max(times.compute_end, times.data_end) +
                                      sum_of(tail.gradients.row(stage)) + sum_of(tail.grad_norm.row(stage)));
      longest_update_ = std::max(longest_update_, sum_of(tail.update.row(stage)));
    }
  }

  // What a stage does after its tasks.
  void end_stage(std::int32_t stage) {
    const workload::StepTail& tail = input_.work.tail;
    const timeline::StageTimes& times = step_.pipeline.stages[at(stage)];
    const bool go_on = stages_go_on(input_);
    const bool unsharded = config_.zero == training::ZeroStage::none;
    wait_until(stage, times.compute_end, SimTime::zero());
    add(SliceKind::gradients, stage, times.data_end,
        unsharded ? TimeCategory::dp_comm : TimeCategory::zero_comm);
    account(stage, SliceKind::gradients, tail.gradients.row(stage));
    account(stage, SliceKind::norm, tail.grad_norm.row(stage));
    if (!go_on) add(SliceKind::wait, stage, agreed_, TimeCategory::bubble);
    account(stage, SliceKind::optimizer, tail.update.row(stage));
    if (!go_on) add(SliceKind::wait, stage, agreed_ + longest_update_, TimeCategory::bubble);
    add(SliceKind::host, stage, clock_ + host_of_step(input_.framework, tail), TimeCategory::other);
  }

  const StepInput& input_;
  const training::TrainingConfig& config_;
  const ComposedStep& step_;
  StepTimeline& out_;
  SimTime clock_{}, sent_{};  // where the stage in hand is; the end of its last blocking send
  SimTime agreed_{}, longest_update_{};
};

std::vector<PlacedOp> placed_ops(const workload::OpGraph& graph, const Prices& prices,
                                 timeline::BlockScratchData& ran) {
  (void)timeline::compose_block({graph.lane, graph.part, graph.work, &graph.needs}, prices.alone,
                                prices.factors(), ran);
  std::vector<PlacedOp> ops;
  ops.reserve(graph.lane.size());
  for (std::size_t i = 0; i < graph.lane.size(); ++i)
    ops.push_back({.lane = graph.lane[i],
                   .part = graph.part[i],
                   .work = graph.work[i],
                   .start = ran.start[i],
                   .end = ran.end[i]});
  return ops;
}

}  // namespace

StepTimeline unfold_step(const training::TrainingConfig& config, const Catalog& catalog,
                         const Calibration& calibration, Workspace& ws) {
  StepTimeline out;
  out.report = simulate(config, catalog, calibration, ws);
  if (out.report.status != training::Status::ok || !catalog.model(config.model).trace.is_none()) return out;
  SimulatedStep& step = ws.step;
  const StepInput input = input_of(config, catalog, step);
  std::vector<PlacedTask> placed;
  compose(input, Slowdown::on, ws.scratch, step.composed, &placed);
  Unfolding(input, step.composed, out).run(std::move(placed));
  for (const BlockId block : ids<BlockId>(step.work.block_count))
    out.blocks.push_back(placed_ops(step.work.blocks[at(block)], step.prices, ws.scratch.block));
  return out;
}

std::vector<workload::BlockRun> placed_runs(const Slice& slice, const SimulatedStep& step) {
  std::vector<workload::BlockRun> runs;
  if (slice.kind != SliceKind::task) return runs;
  const auto add = [&runs](const workload::BlockRun& run) { runs.push_back(run); };
  if (slice.is_pair && step.work.pairs.rows() > 0) {
    const auto woven = step.work.pairs.row(pair_of(step.layout, {slice.task.chunk, slice.partner.chunk}));
    std::for_each(woven.begin(), woven.end(), add);
    return runs;
  }
  PassKind kind = pass_of(slice.task, slice.is_last);
  if (kind == PassKind::first_forward && !step.work.gathers_once) kind = PassKind::forward;
  if (slice.task.kind == TaskKind::backward_weight && slice.is_last) {
    if (!own_block(step.work, kind, slice.task.chunk).is_none()) return runs;
    kind = PassKind::weight_gradients;
  }
  each_run(step.work, kind, slice.task.chunk, add);
  if (slice.is_pair) each_run(step.work, PassKind::backward, slice.partner.chunk, add);
  return runs;
}

}  // namespace echo::simulate
