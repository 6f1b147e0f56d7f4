// The step ends with one stage: its update and what it does before, host time, and before that the pipeline,
// of which timeline::find_path says how often each chunk's passes and transfers lie on the path. A pass is a
// run of blocks, and each block knows the path to its own end (timeline::compose_block); blocks follow each
// other on the compute lane, so those paths join. Sums over counts, never over microbatches.
//
// Where a pass waits for the host, the wait counts as `other` by part; by driver it is host time less what
// the GPU does meanwhile, so that the whole pass is bound by the host. Where the stages go on by themselves
// at the end of a step, the step is one stage's turn: the path to its end less the first forwards and
// transfers before that stage could begin.
//
// By driver the path is the derivative of the step (d ln step / d ln bandwidth = - share, of the path as it
// lies). Held fixed: choices of algorithm, protocol, channels and tiles, and the factors of overlap. Where
// two paths are equally long, the derivative is one of the two one-sided ones.
#include "simulate/step/critical_path.hpp"

#include "base/contract.hpp"
#include "simulate/prices/host_time.hpp"

namespace echo::simulate {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class PathSum {
 public:
  PathSum(const timeline::PipelineShape& shape, Workspace& ws) : shape_(shape), ws_(ws) {}

  // Once a stage went on by itself, what lies before its turn is no part of it: the first forwards before it
  // and their transfers, of which it takes part itself in a last one that is not overlapped.
  void begin_with(std::int32_t stage, bool overlapped) {
    for (std::int32_t chunk = 0; ws_.layout.stage_of_chunk[at(chunk)] != stage; ++chunk) {
      --ws_.path.legs[at(chunk)].usual;
      if (overlapped || ws_.layout.stage_of_chunk[at(chunk + 1)] != stage)
        --ws_.path.legs[at(chunk)].transfers;
    }
  }

  void add_pipeline() {
    const timeline::Route route(shape_);
    ws_.path_blocks.assign(at(ws_.work.block_count), 0);
    for (std::int32_t chunk = 0; chunk < shape_.chunks; ++chunk) {
      const auto& forward = ws_.path.legs[at(route.leg_of({timeline::TaskKind::forward, chunk}))];
      const auto& backward = ws_.path.legs[at(route.leg_of({timeline::TaskKind::backward, chunk}))];
      const auto& weight = ws_.path.legs[at(2 * shape_.chunks + chunk)];
      const ChunkCost& cost = ws_.chunks[at(chunk)];
      add_pass(cost.forward, ws_.work.forward.row(chunk), forward.usual);
      add_first_forward(chunk, forward.special);
      add_pass(cost.backward, ws_.work.backward.row(chunk), backward.usual);
      add_split(chunk, backward.split);
      add_pass(cost.weights, ws_.work.weight_gradients.row(chunk), weight.usual);
      add_last_backward(chunk, backward.special, weight.special);
      add_hop(chunk, forward.transfers);
      add_hop(chunk - 1, backward.transfers);
      add_data(chunk, ws_.path.data[at(chunk)]);
    }
    for (std::size_t pair = 0; pair < ws_.path.pairs.size(); ++pair)
      add_pair(static_cast<std::int32_t>(pair), ws_.path.pairs[pair]);
    if (ws_.path.gathered >= 0) add_gathers(ws_.path.gathered);
    for (std::size_t block = 0; block < ws_.path_blocks.size(); ++block)
      if (ws_.path_blocks[block] != 0) sum_.add(ws_.paths[block].makespan, ws_.path_blocks[block]);
  }

  void add_runs(std::span<const workload::WorkRun> runs) {
    for (const workload::WorkRun& run : runs) {
      sum_.part[static_cast<std::size_t>(run.part)] += run.count * ws_.prices.alone[at(run.work)];
      sum_.bottleneck.add(ws_.prices.bottlenecks[at(run.work)], run.count);
    }
  }

  void add_host(SimTime time) {
    sum_.part[static_cast<std::size_t>(TimeCategory::other)] += time;
    sum_.bottleneck[Bottleneck::host] += static_cast<double>(time.count());
  }

  [[nodiscard]] const PathShare& sum() const { return sum_; }

 private:
  void add_pass(const Cost& cost, std::span<const workload::BlockRun> runs, std::int64_t count) {
    if (count == 0) return;
    add_wait(cost, count);
    for (const workload::BlockRun& run : runs) ws_.path_blocks[at(run.block)] += count * run.count;
  }

  void add_wait(const Cost& cost, std::int64_t count) {
    sum_.part[static_cast<std::size_t>(TimeCategory::other)] += count * cost.wait;
    sum_.part[static_cast<std::size_t>(TimeCategory::zero_comm)] += count * cost.traffic_wait;
    sum_.bottleneck.add(cost.wait_bottleneck, static_cast<double>(count));
  }

  [[nodiscard]] SimTime split_time(const ChunkCost& cost) const {
    return (ws_.work.input_gradients.rows() > 0 ? cost.input : cost.backward).time;
  }

  // A split one is a backward as usual and then weight gradients for the rest of it.
  void add_last_backward(std::int32_t chunk, std::int64_t whole, std::int64_t weights) {
    const ChunkCost& cost = ws_.chunks[at(chunk)];
    const std::int64_t count = whole + weights;
    if (count == 0 || (weights > 0 && cost.last_backward.time <= split_time(cost))) return;
    if (const std::int32_t block = ws_.work.last_backward[at(chunk)]; block >= 0) {
      ws_.path_blocks[at(block)] += count;
      add_wait(cost.last_backward, count);
    } else {
      add_pass(cost.backward, ws_.work.backward.row(chunk), count);
      if (ws_.work.input_gradients.rows() == 0)
        add_pass(cost.weights, ws_.work.weight_gradients.row(chunk), count);
    }
    add_split(chunk, -weights);
  }

  // Lasts as the longer of the two.
  void add_first_forward(std::int32_t chunk, std::int64_t count) {
    const ChunkCost& cost = ws_.chunks[at(chunk)];
    if (!ws_.work.gathers_once || cost.first_forward.time <= cost.forward.time)
      return add_pass(cost.forward, ws_.work.forward.row(chunk), count);
    add_wait(cost.first_forward, count);
    ws_.path_blocks[at(ws_.work.first_forward[at(chunk)])] += count;
  }

  // Backwards without their weight gradients.
  void add_split(std::int32_t chunk, std::int64_t count) {
    const ChunkCost& cost = ws_.chunks[at(chunk)];
    if (ws_.work.input_gradients.rows() > 0) {
      add_pass(cost.input, ws_.work.input_gradients.row(chunk), count);
    } else {
      add_pass(cost.backward, ws_.work.backward.row(chunk), count);
    }
  }

  // A forward and a backward as one; where none is woven, as long as both.
  void add_pair(std::int32_t pair, std::int64_t count) {
    if (count == 0) return;
    if (ws_.work.pairs.rows() > 0) return add_pass(ws_.pairs[at(pair)], ws_.work.pairs.row(pair), count);
    const std::int32_t laps = shape_.chunks / shape_.stages, forward = pair / laps;
    std::int32_t backward = pair % laps * shape_.stages;
    while (ws_.layout.stage_of_chunk[at(backward)] != ws_.layout.stage_of_chunk[at(forward)]) ++backward;
    add_pass(ws_.chunks[at(forward)].forward, ws_.work.forward.row(forward), count);
    add_pass(ws_.chunks[at(backward)].backward, ws_.work.backward.row(backward), count);
  }

  // Between `chunk` and the next.
  void add_hop(std::int32_t chunk, std::int64_t count) {
    if (count == 0 || chunk < 0 || chunk + 1 == shape_.chunks) return;
    sum_.part[static_cast<std::size_t>(TimeCategory::pp_comm)] += count * ws_.hop_forward[at(chunk)];
    sum_.bottleneck.add(ws_.hop_bottlenecks[at(chunk)], static_cast<double>(count));
  }

  void add_data(std::int32_t chunk, const timeline::DataCounts& counts) {
    if (counts == timeline::DataCounts{}) return;
    const std::int32_t block = ws_.work.last_backward[at(chunk)];
    ECHO_EXPECT(block >= 0);
    const timeline::BlockTimes& times = ws_.times[at(block)];
    const timeline::BlockPaths& paths = ws_.paths[at(block)];
    constexpr auto data = static_cast<std::size_t>(Lane::data), host = static_cast<std::size_t>(Lane::host);
    const timeline::LanePaths& busier = times.busy[host] > times.busy[data] ? paths.host : paths.data;
    sum_.add(busier.start, counts.first_start);
    sum_.add(busier.busy, counts.busy);
    if (counts.lag == 0) return;
    // The traffic ends after the block does: the path to its end in place of the path to the block's.
    sum_.add((times.lag[host] > times.lag[data] ? paths.host : paths.data).end, 1);
    ws_.path_blocks[at(block)] -= 1;
    add_wait(ws_.chunks[at(chunk)].last_backward, -1);
  }

  // From the start of the step: the gathers of the stage's earlier chunks, then this one's first forward.
  void add_gathers(std::int32_t chunk) {
    const std::int32_t stage = ws_.layout.stage_of_chunk[at(chunk)];
    for (std::int32_t earlier = 0; earlier < chunk; ++earlier) {
      const std::int32_t block = ws_.work.first_forward[at(earlier)];
      if (ws_.layout.stage_of_chunk[at(earlier)] == stage && block >= 0)
        sum_.add(ws_.paths[at(block)].data.busy, 1);
    }
    ws_.path_blocks[at(ws_.work.first_forward[at(chunk)])] += 1;
  }

  const timeline::PipelineShape& shape_;
  Workspace& ws_;
  PathShare sum_;
};

}  // namespace

PathShare critical_path(const training::TrainingConfig& config, const training::FrameworkSpec& framework,
                        const timeline::Schedule& schedule, const StepOutcome& outcome, Workspace& ws) {
  const timeline::PipelineShape shape = pipeline_shape(config, ws.layout, schedule);
  const std::int32_t last = outcome.end.last_stage;
  ws.path_end = outcome.end;
  const bool goes_on = outcome.end.update_stage < 0;
  timeline::find_path(shape, schedule, ws.trail, ws.pipeline_scratch, ws.pipeline.stages[at(last)], last,
                      ws.path);
  PathSum path(shape, ws);
  if (goes_on) path.begin_with(last, config.overlap.pipeline);
  path.add_pipeline();
  path.add_runs(ws.work.tail.gradients.row(last));
  path.add_runs(ws.work.tail.grad_norm.row(last));
  path.add_runs(ws.work.tail.update.row(goes_on ? last : outcome.end.update_stage));
  path.add_host(host_of_step(framework, ws.work.tail));
  ECHO_ENSURE(path.sum().length() == outcome.step);
  return path.sum();
}

}  // namespace echo::simulate
