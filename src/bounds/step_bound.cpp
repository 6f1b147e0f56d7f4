#include "bounds/step_bound.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "simulate/prices/host_time.hpp"
#include "simulate/prices/newest_first.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/step/compose_chunks.hpp"
#include "simulate/step/compose_step.hpp"
#include "simulate/step/passes.hpp"
#include "workload/generate_workload.hpp"

namespace echo::bounds {

using simulate::ChunkCost;
using simulate::PassKind;
using simulate::StepInput;
using sweep::Axis;
using sweep::AxisSet;
using training::TrainingConfig;

namespace {

// Among the configs of the set, or beside them, the one whose passes are bounded.
TrainingConfig with_plain_passes(TrainingConfig config, const AxisSet& open) {
  const auto is_open = [&](Axis axis) { return open.test(at(axis)); };
  // Traffic of shards can be a part of every pass, and what these axes do to it can be good or bad.
  for (const Axis axis :
       {Axis::zero, Axis::zero_group, Axis::offload_optimizer, Axis::overlap_grad_reduce,
        Axis::overlap_param_gather, Axis::fsdp_prefetch, Axis::fsdp_reshard, Axis::fp32_gradients})
    if (is_open(axis)) config.zero = training::ZeroStage::none, config.recipe.offload_weights = false;
  if (config.zero == training::ZeroStage::none) config.zero_group = 0;
  // Passes that carry traffic are generated op by op; the others are what is bounded.
  if (is_open(Axis::overlap_grad_reduce)) config.overlap.grad_reduce = false;
  if (is_open(Axis::overlap_param_gather)) config.overlap.param_gather = false;
  if (is_open(Axis::offload_optimizer)) config.recipe.offload_optimizer = false;
  for (const Axis axis :
       {Axis::recompute, Axis::recompute_modules, Axis::recompute_method, Axis::recompute_layers})
    if (is_open(axis)) config.recompute = training::Recompute::none;
  // Transfers that overlap products cut them up.
  if (is_open(Axis::overlap_tp) || is_open(Axis::sequence_parallel)) config.overlap.tensor = false;
  if (is_open(Axis::sequence_parallel)) config.sequence_parallel = false;
  if (is_open(Axis::flash_attention)) config.flash_attention = true;
  return config;
}

bool runs_in_line(const StepInput& input) {
  return !input.schedule.splits_backward && !input.schedule.mixes_backwards && input.layout.copies == 1;
}

SimTime sum_of(std::span<const workload::WorkRun> runs, const simulate::Prices& prices) {
  SimTime sum{};
  for (const workload::WorkRun& run : runs) sum += run.count * prices.alone[at(run.work)];
  return sum;
}

// A chunk's whole passes, from the times of blocks.
ChunkPasses passes_of(const workload::Workload& work, ChunkId chunk, std::span<const SimTime> block_times) {
  const auto sum = [&](const Csr<workload::BlockRun>& rows) {
    SimTime time{};
    if (rows.rows() == 0) return time;
    for (const workload::BlockRun& run : rows.row(chunk)) time += run.count * block_times[at(run.block)];
    return time;
  };
  const bool split = work.backwards == workload::Backward::split;
  const SimTime forward = sum(work.forward);
  SimTime backward = sum(work.backward);
  if (split) backward += sum(work.weight_gradients);
  if (work.backwards == workload::Backward::both)
    backward = std::min(backward, sum(work.input_gradients) + sum(work.weight_gradients));
  return {.forward = forward, .first_forward = forward, .backward = backward, .last_backward = backward};
}

ChunkPasses passes_of(const ChunkCost& cost, const timeline::DataLane& data, workload::Backward backwards) {
  const auto time = [&](PassKind kind) { return cost[kind].time; };
  const SimTime parts = time(PassKind::input_gradients) + time(PassKind::weight_gradients);
  SimTime backward = backwards == workload::Backward::split ? parts : time(PassKind::backward);
  if (backwards == workload::Backward::both) backward = std::min(backward, parts);
  return {.forward = time(PassKind::forward),
          .first_forward = time(PassKind::first_forward),
          .backward = backward,
          .last_backward = time(PassKind::last_backward),
          .lag = data.lag};
}

}  // namespace

StepBounds::StepBounds(const simulate::Catalog& catalog, const simulate::Calibration& calibration,
                       simulate::Workspace& workspace)
    : catalog_(catalog), known_(calibration), ws_(workspace) {}

bool StepBounds::lay_out(const TrainingConfig& config) {
  if (!catalog_.model(config.model).trace.is_none()) return false;
  return ws_.admissions.of(config, catalog_, known_.errors, ws_.step.layout, ws_.counts).rule == 0;
}

std::optional<SimTime> StepBounds::of_set(const TrainingConfig& member, const AxisSet& open) {
  const Reach reach = reach_of(open);
  if (reach == Reach::all) return std::nullopt;
  const TrainingConfig config = sweep::normalised(with_plain_passes(member, open), catalog_);
  return reach == Reach::beside ? of_passes(config, open) : of_products(config, open);
}

// The time of a kernel in a step; of weight gradients the least, where their sums may be in either format.
SimTime StepBounds::least_time(ops::KernelKey key, const TrainingConfig& config, const AxisSet& open) {
  const SimTime own = simulate::price_kernel(key, config, catalog_, known_, ws_.memo);
  if (!open.test(at(Axis::fp32_gradients)) || key.kind != ops::KernelKind::gemm ||
      key.layout != ops::GemmLayout::nt)
    return own;
  key.fp32_accumulate = !key.fp32_accumulate;
  return std::min(own, simulate::price_kernel(key, config, catalog_, known_, ws_.memo));
}

// The kernels of a block that every member of a set has.
SimTime StepBounds::products_of(const workload::OpGraph& graph, const TrainingConfig& config,
                                const AxisSet& open) {
  using ops::KernelKind;
  const bool attention_is_open = open.test(at(Axis::flash_attention));
  SimTime sum{};
  for (std::size_t op = 0; op < graph.lane.size(); ++op) {
    if (graph.lane[op] != Lane::compute) continue;
    if (graph.part[op] != TimeCategory::forward && graph.part[op] != TimeCategory::backward) continue;
    const ops::KernelKey& key = products_.kernels[at(graph.work[op].index())];
    const bool is_attention =
        key.kind == KernelKind::attention_forward || key.kind == KernelKind::attention_backward;
    const bool is_score = key.kind == KernelKind::gemm && key.batch > 1 && !key.grouped;
    if (key.kind != KernelKind::gemm && !is_attention) continue;
    if (attention_is_open && (is_attention || is_score)) continue;
    sum += least_time(key, config, open);
  }
  return sum;
}

std::optional<SimTime> StepBounds::of_products(const TrainingConfig& config, const AxisSet& open) {
  if (!lay_out(config)) return std::nullopt;
  const timeline::Schedule schedule = simulate::schedule_of(config, catalog_);
  const training::RankLayout& layout = ws_.step.layout;
  workload::generate_workload(config, catalog_.model(config.model), catalog_.framework(config),
                              catalog_.cluster(config.cluster), layout, simulate::backward_of(schedule),
                              products_, catalog_.gpu(config).compute_capability);
  block_times_.clear();
  for (const BlockId block : ids<BlockId>(products_.block_count))
    block_times_.push_back(products_of(products_.blocks[at(block)], config, open));
  passes_.clear();
  for (const ChunkId chunk : ids<ChunkId>(products_.forward.rows()))
    passes_.push_back(passes_of(products_, chunk, block_times_));
  const bool in_line = !schedule.splits_backward && !schedule.mixes_backwards && layout.copies == 1;
  earliest_ends({.chunks = passes_,
                 .stage_of_chunk = layout.stage_of_chunk,
                 .hops = {},
                 .stages = config.degrees.pipeline,
                 .microbatches = training::microbatches_of(config) / layout.copies,
                 .hops_block = false,
                 .in_line = in_line},
                ends_);
  return *std::ranges::max_element(ends_) + catalog_.framework(config).host_per_step;
}

SimTime StepBounds::end_of_passes(const StepInput& input, bool with_tail, bool with_hops) {
  earliest_ends(
      {.chunks = passes_,
       .stage_of_chunk = input.layout.stage_of_chunk,
       .hops = with_hops ? std::span<const SimTime>(input.prices.hop_forward) : std::span<const SimTime>(),
       .stages = input.config.degrees.pipeline,
       .microbatches = input.microbatches(),
       .hops_block = with_hops && !input.config.overlap.pipeline,
       .in_line = runs_in_line(input)},
      ends_);
  if (!with_tail) return *std::ranges::max_element(ends_) + input.framework.host_per_step;
  const workload::StepTail& tail = input.work.tail;
  const bool apart = simulate::stages_go_on(input);
  SimTime agreed{}, update{}, turn{};
  for (const StageId stage : ids<StageId>(input.config.degrees.pipeline)) {
    const SimTime own_update = sum_of(tail.update.row(stage), input.prices);
    const SimTime done = ends_[at(stage)] + sum_of(tail.gradients.row(stage), input.prices) +
                         sum_of(tail.grad_norm.row(stage), input.prices);
    agreed = std::max(agreed, done);
    update = std::max(update, own_update);
    turn = std::max(turn, done + own_update);
  }
  return (apart ? turn : agreed + update) + simulate::host_of_step(input.framework, tail);
}

std::optional<SimTime> StepBounds::of_passes(const TrainingConfig& config, const AxisSet& open) {
  if (!lay_out(config)) return std::nullopt;
  ws_.work.price(config, catalog_, known_, ws_.memo, ws_.step);
  const StepInput input = simulate::input_of(config, catalog_, ws_.step);
  const workload::Workload& work = input.work;
  alone_ = input.prices.alone;
  for (std::size_t i = 0; i < work.kernels.size(); ++i) alone_[i] = least_time(work.kernels[i], config, open);
  block_times_.clear();
  for (const BlockId block : ids<BlockId>(work.block_count)) {
    const workload::OpGraph& graph = work.blocks[at(block)];
    const timeline::OpGraphView view{graph.lane, graph.part, graph.work, &graph.needs};
    const timeline::BlockTimes times = timeline::compose_block(view, alone_, {}, ws_.scratch.block);
    // A forward and a backward that run as one hide each other's transfers. Queues that serve the newest
    // first may put shorter ops into an order that takes longer.
    const bool in_order = work.pairs.rows() == 0 && !simulate::serves_newest_first(config, input.cluster);
    block_times_.push_back(in_order ? times.makespan : times.compute_busy);
  }
  passes_.clear();
  for (const ChunkId chunk : ids<ChunkId>(work.forward.rows()))
    passes_.push_back(passes_of(work, chunk, block_times_));
  return end_of_passes(input, false, false);
}

std::optional<SimTime> StepBounds::of_point(const TrainingConfig& config) {
  if (!lay_out(config)) return std::nullopt;
  ws_.work.price(config, catalog_, known_, ws_.memo, ws_.step);
  const StepInput input = simulate::input_of(config, catalog_, ws_.step);
  if (input.work.pairs.rows() > 0) return of_passes(config, {});
  simulate::ComposedStep& composed = ws_.step.composed;
  ws_.scratch.blocks.look_up(input);
  const bool slow_each_other = known_.contention != simulate::Contention::off &&
                               ws_.scratch.blocks.collectives_contend(input, ws_.scratch.block);
  compose_chunks(input, slow_each_other ? simulate::Slowdown::on : simulate::Slowdown::apart,
                 ws_.scratch.block, composed, &ws_.scratch.blocks);
  passes_.clear();
  for (std::size_t chunk = 0; chunk < composed.chunks.size(); ++chunk)
    passes_.push_back(passes_of(composed.chunks[chunk], composed.chunks[chunk].data, input.work.backwards));
  return end_of_passes(input, true, true);
}

}  // namespace echo::bounds
