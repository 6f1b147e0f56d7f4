// The pipeline is composed once more with every task noted. What lies between two tasks of a stage is a
// blocking transfer where one can account for it (the send after the first task, the receive before the
// second), else waiting. After its last task a stage waits for its gradient traffic, reduces what is left,
// and, unless stages go on by themselves (compose_step.cpp), for the slowest stage at the gradient norm.
#include "simulate/unfold/step_timeline.hpp"

#include <algorithm>

#include "simulate/prices/host_time.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/compose_chunks.hpp"
#include "simulate/step/compose_step.hpp"

namespace echo::simulate {

namespace {

using timeline::PlacedTask;
using timeline::Task;
using timeline::TaskKind;
using Parts = std::array<SimTime, time_category_count>;

SimTime& of(Parts& parts, TimeCategory part) { return parts[static_cast<std::size_t>(part)]; }

Parts difference(const Parts& whole, const Parts& part) {
  Parts rest{};
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = whole[i] - part[i];
  return rest;
}

class Unfolding {
 public:
  Unfolding(const training::TrainingConfig& config, const training::FrameworkSpec& framework,
            const timeline::Schedule& schedule, const Workspace& ws, StepTimeline& out)
      : config_(config), framework_(framework), schedule_(schedule), ws_(ws), out_(out) {}

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
  [[nodiscard]] const ChunkCost& cost_of(const Task& task) const {
    return ws_.chunks[static_cast<std::size_t>(task.chunk)];
  }

  void add(SliceKind kind, std::int32_t stage, SimTime end, TimeCategory part) {
    if (end <= clock_) return;
    Slice slice{.kind = kind, .stage = stage, .start = clock_, .end = end};
    of(slice.exposed, part) = end - clock_;
    out_.slices.push_back(slice);
    clock_ = end;
  }

  // Until `end`, of which the last `receive` is a transfer, and the first, up to sent_, another.
  void wait_until(std::int32_t stage, SimTime end, SimTime receive) {
    add(SliceKind::transfer, stage, std::min(sent_, end), TimeCategory::pp_comm);
    add(SliceKind::wait, stage, end - std::min(receive, end - clock_), TimeCategory::bubble);
    add(SliceKind::transfer, stage, end, TimeCategory::pp_comm);
  }

  // Blocking transfers into and out of a task.
  [[nodiscard]] SimTime hop(const Task& task, bool towards) const {
    if (config_.overlap.pipeline || task.kind == TaskKind::backward_weight) return SimTime::zero();
    const bool before = towards == (task.kind == TaskKind::forward);  // the border towards chunk - 1
    const std::int32_t border = before ? task.chunk - 1 : task.chunk;
    const auto& hops = task.kind == TaskKind::forward ? ws_.hop_forward : ws_.hop_backward;
    if (border < 0 || border >= static_cast<std::int32_t>(hops.size())) return SimTime::zero();
    return hops[static_cast<std::size_t>(border)];
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

  // As composed together, or, where nothing of one is hidden behind the other, as both.
  [[nodiscard]] Parts exposed_of_pair(const Task& ahead, const Task& back) const {
    if (!ws_.pairs.empty()) {
      const std::int32_t laps = static_cast<std::int32_t>(ws_.chunks.size()) / config_.degrees.pipeline;
      return ws_.pairs[static_cast<std::size_t>(ahead.chunk * laps + back.chunk / config_.degrees.pipeline)]
          .exposed;
    }
    Cost both = cost_of(ahead).forward;
    both.add(whole_backward(cost_of(back)), 1);
    return both.exposed;
  }

  [[nodiscard]] bool is_last(const Task& task) const {
    if (task.kind == TaskKind::forward) return false;
    if (schedule_.splits_backward && task.kind == TaskKind::backward_input) return false;
    return task.microbatch + 1 == training::microbatches_of(config_) / ws_.layout.copies;
  }

  [[nodiscard]] Parts exposed_of(const Task& task, bool last) const {
    const ChunkCost& cost = cost_of(task);
    switch (task.kind) {
      case TaskKind::forward:
        return (task.microbatch == 0 ? cost.first_forward : cost.forward).exposed;
      case TaskKind::backward_input:
        return input_of(cost).exposed;
      case TaskKind::backward_weight:
        return last ? difference(cost.last_backward.exposed, input_of(cost).exposed) : cost.weights.exposed;
      case TaskKind::backward:
        break;
    }
    return last ? cost.last_backward.exposed : whole_backward(cost).exposed;
  }

  // Where only some backwards are split, ChunkCost::backward is a whole one.
  [[nodiscard]] bool some_split() const { return ws_.work.input_gradients.rows() > 0; }
  [[nodiscard]] const Cost& input_of(const ChunkCost& cost) const {
    return some_split() ? cost.input : cost.backward;
  }
  [[nodiscard]] Cost whole_backward(const ChunkCost& cost) const {
    Cost whole = cost.backward;
    if (!some_split()) whole.add(cost.weights, 1);
    return whole;
  }

  void account(std::int32_t stage, SliceKind kind, std::span<const workload::WorkRun> runs) {
    for (const workload::WorkRun& run : runs)
      add(kind, stage, clock_ + run.count * ws_.prices.alone[static_cast<std::size_t>(run.work)], run.part);
  }

  [[nodiscard]] SimTime sum_of(std::span<const workload::WorkRun> runs) const {
    SimTime sum{};
    for (const workload::WorkRun& run : runs)
      sum += run.count * ws_.prices.alone[static_cast<std::size_t>(run.work)];
    return sum;
  }

  // When the slowest stage has agreed on the gradient norm, and how long the longest update takes.
  void find_agreement() {
    const workload::StepTail& tail = ws_.work.tail;
    for (std::int32_t stage = 0; stage < config_.degrees.pipeline; ++stage) {
      const timeline::StageTimes& times = ws_.pipeline.stages[static_cast<std::size_t>(stage)];
      agreed_ = std::max(agreed_, std::max(times.compute_end, times.data_end) +
                                      sum_of(tail.gradients.row(stage)) + sum_of(tail.grad_norm.row(stage)));
      longest_update_ = std::max(longest_update_, sum_of(tail.update.row(stage)));
    }
  }

  // What a stage does behind its tasks.
  void end_stage(std::int32_t stage) {
    const workload::StepTail& tail = ws_.work.tail;
    const timeline::StageTimes& times = ws_.pipeline.stages[static_cast<std::size_t>(stage)];
    const bool stages_go_on = schedule_.splits_backward && config_.recipe.post_validation;
    const bool unsharded = config_.zero == training::ZeroStage::none;
    wait_until(stage, times.compute_end, SimTime::zero());
    add(SliceKind::gradients, stage, times.data_end,
        unsharded ? TimeCategory::dp_comm : TimeCategory::zero_comm);
    account(stage, SliceKind::gradients, tail.gradients.row(stage));
    account(stage, SliceKind::norm, tail.grad_norm.row(stage));
    if (!stages_go_on) add(SliceKind::wait, stage, agreed_, TimeCategory::bubble);
    account(stage, SliceKind::optimizer, tail.update.row(stage));
    if (!stages_go_on) add(SliceKind::wait, stage, agreed_ + longest_update_, TimeCategory::bubble);
    add(SliceKind::host, stage, clock_ + host_of_step(framework_, tail), TimeCategory::other);
  }

  const training::TrainingConfig& config_;
  const training::FrameworkSpec& framework_;
  const timeline::Schedule& schedule_;
  const Workspace& ws_;
  StepTimeline& out_;
  SimTime clock_{}, sent_{};  // where the stage in hand is; the end of its last blocking send
  SimTime agreed_{}, longest_update_{};
};

std::vector<PlacedOp> placed_ops(const workload::OpGraph& graph, Workspace& ws) {
  (void)timeline::compose_block({graph.lane, graph.part, graph.work, &graph.needs}, ws.prices.alone,
                                ws.prices.factors(), ws.block_scratch);
  std::vector<PlacedOp> ops;
  ops.reserve(graph.lane.size());
  for (std::size_t i = 0; i < graph.lane.size(); ++i)
    ops.push_back({.lane = graph.lane[i],
                   .part = graph.part[i],
                   .work = graph.work[i],
                   .start = ws.block_scratch.start[i],
                   .end = ws.block_scratch.end[i]});
  return ops;
}

}  // namespace

StepTimeline unfold_step(const training::TrainingConfig& config, const Catalog& catalog,
                         const Calibration& calibration, Workspace& ws) {
  StepTimeline out;
  out.report = simulate(config, catalog, calibration, ws);
  if (out.report.status != training::Status::ok || !catalog.model(config.model).trace.is_none()) return out;
  const training::FrameworkSpec& framework = catalog.framework(config.framework);
  const timeline::Schedule schedule = schedule_of(config, catalog);
  std::vector<PlacedTask> placed;
  compose_chunks(config, catalog.model(config.model), framework, catalog.cluster(config.cluster),
                 Slowdown::on, ws);
  (void)compose_step(config, framework, schedule, ws, &placed);
  Unfolding(config, framework, schedule, ws, out).run(std::move(placed));
  for (std::int32_t i = 0; i < ws.work.block_count; ++i)
    out.blocks.push_back(placed_ops(ws.work.blocks[static_cast<std::size_t>(i)], ws));
  return out;
}

std::span<const workload::BlockRun> runs_of(const Slice& slice, const Workspace& ws,
                                            workload::BlockRun& whole) {
  const workload::Workload& work = ws.work;
  const std::int32_t chunk = slice.task.chunk;
  if (slice.kind != SliceKind::task) return {};
  if (slice.is_pair) {
    const auto stages = static_cast<std::int32_t>(ws.pipeline.stages.size());
    const std::int32_t laps = static_cast<std::int32_t>(ws.chunks.size()) / stages;
    if (work.pairs.rows() == 0) return work.forward.row(chunk);
    return work.pairs.row(chunk * laps + slice.partner.chunk / stages);
  }
  if (slice.task.kind == TaskKind::forward) return work.forward.row(chunk);
  const std::int32_t last = slice.is_last ? work.last_backward[static_cast<std::size_t>(chunk)] : -1;
  if (last >= 0 && slice.task.kind == TaskKind::backward) {
    whole = {last, 1};
    return {&whole, 1};
  }
  if (last >= 0) return {};
  if (slice.task.kind == TaskKind::backward_weight) return work.weight_gradients.row(chunk);
  const bool split = slice.task.kind == TaskKind::backward_input && work.input_gradients.rows() > 0;
  return (split ? work.input_gradients : work.backward).row(chunk);
}

}  // namespace echo::simulate
