// The step ends with one stage: its update and the work before it, host time, and before that the pipeline,
// for which timeline::find_path counts how often each chunk's passes and transfers lie on the path. A pass
// is a run of blocks, and each block knows the path to its own end (timeline::compose_block); blocks follow
// each other on the compute lane, so those paths join. Sums run over counts, never over microbatches.
//
// Where a pass waits for the host, the wait counts as `other` by part; by driver it is host time less the
// work of the GPU in the meantime, so that the whole pass is limited by the host. Where stages continue by
// themselves at the end of a step, the step is the turn of one stage: the path to its end less the first
// forwards and transfers before that stage could begin.
//
// By driver the path is the derivative of the step (d ln step / d ln bandwidth = - share, for the path as it
// is). Held fixed: choices of algorithm, protocol, channels and tiles, and the factors of overlap except for
// the wait for memory under load, which changes with HBM and with the rate of the collective. Where two
// paths are equally long, the derivative is one of the two one-sided ones.
#include "simulate/step/critical_path.hpp"

#include "base/at.hpp"
#include "base/contract.hpp"
#include "simulate/prices/host_time.hpp"
#include "simulate/step/path_passes.hpp"

namespace echo::simulate {

namespace {

class PathSum {
 public:
  PathSum(const StepInput& input, ComposedStep& step) : input_(input), work_(input.work), step_(step) {}

  // Where a stage continued by itself, the path before its turn is left out: the first forwards before it
  // and their transfers; of a last transfer that is not overlapped, the stage's own part stays.
  void begin_with(std::int32_t stage) {
    const bool overlapped = input_.config.overlap.pipeline;
    for (std::int32_t chunk = 0; input_.layout.stage_of_chunk[at(chunk)] != stage; ++chunk) {
      --step_.path.legs[at(chunk)].usual;
      if (overlapped || input_.layout.stage_of_chunk[at(chunk + 1)] != stage)
        --step_.path.legs[at(chunk)].transfers;
    }
  }

  void add_pipeline() {
    const timeline::PipelineShape shape = input_.shape();
    const timeline::Route route(shape);
    step_.path_blocks.assign(at(work_.block_count), 0);
    for (const ChunkId chunk : ids<ChunkId>(shape.chunks)) {
      each_pass_on_path(step_.path, route, work_, step_.chunks[at(chunk)], chunk,
                        [&](PassKind kind, std::int64_t count) { add_pass(chunk, kind, count); });
      add_hop(chunk, step_.path.legs[at(route.leg_of({timeline::TaskKind::forward, chunk}))].transfers);
      add_hop(chunk - 1, step_.path.legs[at(route.leg_of({timeline::TaskKind::backward, chunk}))].transfers);
      add_data(chunk, step_.path.data[at(chunk)]);
    }
    each_pair_on_path(
        step_.path, input_.layout, work_,
        [&](std::int32_t pair, std::int64_t count) { add_pair(pair, count); },
        [&](ChunkId chunk, PassKind kind, std::int64_t count) { add_pass(chunk, kind, count); });
    if (!step_.path.gathered.is_none()) add_gathers(step_.path.gathered);
    for (std::size_t block = 0; block < step_.path_blocks.size(); ++block)
      if (step_.path_blocks[block] != 0) sum_.add(step_.paths[block].makespan, step_.path_blocks[block]);
  }

  void add_runs(std::span<const workload::WorkRun> runs) {
    for (const workload::WorkRun& run : runs) {
      sum_.part[at(run.part)] += run.count * input_.prices.alone[at(run.work)];
      sum_.bottleneck.add(input_.prices.bottlenecks[at(run.work)], run.count);
    }
  }

  void add_host(SimTime time) {
    sum_.part[at(TimeCategory::other)] += time;
    sum_.bottleneck[Bottleneck::host] += static_cast<double>(time.count());
  }

  [[nodiscard]] const PathShare& sum() const { return sum_; }

 private:
  void add_pass(ChunkId chunk, PassKind kind, std::int64_t count) {
    if (count == 0) return;
    add_wait(step_.chunks[at(chunk)][kind], count);
    each_run(work_, kind, chunk,
             [&](const workload::BlockRun& run) { step_.path_blocks[at(run.block)] += count * run.count; });
  }

  void add_pair(std::int32_t pair, std::int64_t count) {
    add_wait(step_.pairs[at(pair)], count);
    for (const workload::BlockRun& run : work_.pairs.row(pair))
      step_.path_blocks[at(run.block)] += count * run.count;
  }

  void add_wait(const Cost& cost, std::int64_t count) {
    sum_.part[at(TimeCategory::other)] += count * cost.wait;
    sum_.part[at(TimeCategory::zero_comm)] += count * cost.traffic_wait;
    sum_.bottleneck.add(cost.wait_bottleneck, static_cast<double>(count));
  }

  // The transfer between `chunk` and the next.
  void add_hop(ChunkId chunk, std::int64_t count) {
    if (count == 0 || chunk.is_none() || chunk.index() + 1 == length_of(step_.chunks)) return;
    sum_.part[at(TimeCategory::pp_comm)] += count * input_.prices.hop_forward[at(chunk)];
    sum_.bottleneck.add(input_.prices.hop_bottlenecks[at(chunk)], static_cast<double>(count));
  }

  void add_data(ChunkId chunk, const timeline::DataCounts& counts) {
    if (counts == timeline::DataCounts{}) return;
    const BlockId block = own_block(work_, PassKind::last_backward, chunk);
    ECHO_EXPECT(!block.is_none());
    const timeline::BlockTimes& times = step_.times[at(block)];
    const timeline::BlockPaths& paths = step_.paths[at(block)];
    constexpr auto data = static_cast<std::size_t>(Lane::data), host = static_cast<std::size_t>(Lane::host);
    const timeline::LanePaths& busier = times.busy[host] > times.busy[data] ? paths.host : paths.data;
    sum_.add(busier.start, counts.first_start);
    sum_.add(busier.busy, counts.busy);
    if (counts.lag == 0) return;
    // The traffic ends after the block: the path to its end replaces the path to the block's.
    sum_.add((times.lag[host] > times.lag[data] ? paths.host : paths.data).end, 1);
    step_.path_blocks[at(block)] -= 1;
    add_wait(step_.chunks[at(chunk)][PassKind::last_backward], -1);
  }

  // From the start of the step: the gathers of the stage's earlier chunks, then this one's first forward.
  void add_gathers(ChunkId chunk) {
    const std::int32_t stage = input_.layout.stage_of_chunk[at(chunk)];
    for (const ChunkId earlier : ids<ChunkId>(chunk.index())) {
      const BlockId block = own_block(work_, PassKind::first_forward, earlier);
      if (input_.layout.stage_of_chunk[at(earlier)] == stage && !block.is_none())
        sum_.add(step_.paths[at(block)].data.busy, 1);
    }
    step_.path_blocks[at(own_block(work_, PassKind::first_forward, chunk))] += 1;
  }

  const StepInput& input_;
  const workload::Workload& work_;
  ComposedStep& step_;
  PathShare sum_;
};

}  // namespace

PathShare critical_path(const StepInput& input, ComposeScratch& scratch, ComposedStep& step) {
  const StepEnd& end = step.outcome.end;
  const StageId last = end.last_stage;
  const bool goes_on = end.update_stage.is_none();
  scratch.pipelines.find_path(input.shape(), input.schedule, scratch.pipeline, scratch.trail,
                              step.pipeline.stages[at(last)], last.index(), step.path);
  PathSum path(input, step);
  if (goes_on) path.begin_with(last.index());
  path.add_pipeline();
  const workload::StepTail& tail = input.work.tail;
  path.add_runs(tail.gradients.row(last));
  path.add_runs(tail.grad_norm.row(last));
  path.add_runs(tail.update.row(goes_on ? last : end.update_stage));
  path.add_host(host_of_step(input.framework, tail));
  ECHO_ENSURE(path.sum().length() == step.outcome.step);
  return path.sum();
}

}  // namespace echo::simulate
