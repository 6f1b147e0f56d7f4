#include "simulate/step/path_detail.hpp"

#include "timeline/block/block_path.hpp"

namespace echo::simulate {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Detail {
 public:
  Detail(const timeline::PipelineShape& shape, Workspace& ws, PathDetail& out)
      : shape_(shape), ws_(ws), out_(out) {
    out.stage.resize(ws.pipeline.stages.size());
    out.work.resize(ws.prices.alone.size());
  }

  void add_passes() {
    const auto chunks = static_cast<std::int32_t>(ws_.chunks.size());
    const timeline::Route route(shape_);
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      const auto& forward = ws_.path.legs[at(route.leg_of({timeline::TaskKind::forward, chunk}))];
      const auto& backward = ws_.path.legs[at(route.leg_of({timeline::TaskKind::backward, chunk}))];
      const auto& weight = ws_.path.legs[at(2 * chunks + chunk)];
      const ChunkCost& cost = ws_.chunks[at(chunk)];
      add_pass(chunk, cost.forward, forward.usual);
      const bool longer = cost.first_forward.time > cost.forward.time;
      add_pass(chunk, longer ? cost.first_forward : cost.forward, forward.special);
      add_pass(chunk, cost.backward, backward.usual);
      add_pass(chunk, ws_.work.input_gradients.rows() > 0 ? cost.input : cost.backward,
               backward.split - weight.special);
      add_pass(chunk, cost.weights, weight.usual);
      add_pass(chunk, cost.last_backward, backward.special + weight.special);
      if (chunk + 1 < chunks) out_.hops += forward.transfers * ws_.hop_forward[at(chunk)];
      if (chunk > 0) out_.hops += backward.transfers * ws_.hop_backward[at(chunk - 1)];
    }
  }

  void add_pairs() {
    const std::int32_t laps = shape_.chunks / shape_.stages;
    for (std::size_t pair = 0; pair < ws_.path.pairs.size(); ++pair) {
      const std::int32_t chunk = static_cast<std::int32_t>(pair) / laps;
      if (ws_.path.pairs[pair] == 0) continue;
      if (!ws_.pairs.empty()) {
        add_pass(chunk, ws_.pairs[pair], ws_.path.pairs[pair]);
        continue;
      }
      std::int32_t other = static_cast<std::int32_t>(pair) % laps * shape_.stages;
      while (ws_.layout.stage_of_chunk[at(other)] != ws_.layout.stage_of_chunk[at(chunk)]) ++other;
      add_pass(chunk, ws_.chunks[at(chunk)].forward, ws_.path.pairs[pair]);
      add_pass(chunk, ws_.chunks[at(other)].backward, ws_.path.pairs[pair]);
    }
  }

  // Every op on the way back from the block's end, as often as the block lies on the path.
  void add_blocks() {
    timeline::BlockScratchData ran;
    for (std::size_t block = 0; block < ws_.path_blocks.size(); ++block) {
      const std::int64_t count = ws_.path_blocks[block];
      if (count == 0) continue;
      const workload::OpGraph& graph = ws_.work.blocks[block];
      const timeline::OpGraphView view{graph.lane, graph.part, graph.work, &graph.needs};
      (void)timeline::compose_block(view, ws_.prices.alone, ws_.prices.factors(), ran);
      std::int32_t op = graph.size() - 1;
      while (op >= 0 && graph.lane[at(op)] != Lane::compute) --op;
      for (; op >= 0; op = timeline::waited_for(view, ran, op))
        out_.work[at(graph.work[at(op)])] += count * (ran.end[at(op)] - ran.start[at(op)]);
    }
  }

  void add_tail(std::span<const workload::WorkRun> runs, std::int32_t stage) {
    for (const workload::WorkRun& run : runs) {
      const SimTime time = run.count * ws_.prices.alone[at(run.work)];
      out_.work[at(run.work)] += time;
      out_.stage[at(stage)] += time;
    }
  }

 private:
  void add_pass(std::int32_t chunk, const Cost& cost, std::int64_t count) {
    out_.stage[at(ws_.layout.stage_of_chunk[at(chunk)])] += count * cost.time;
    out_.host += count * cost.wait;
  }

  const timeline::PipelineShape& shape_;
  Workspace& ws_;
  PathDetail& out_;
};

}  // namespace

PathDetail path_detail(const timeline::PipelineShape& shape, Workspace& ws, SimTime step,
                       SimTime host_per_step) {
  PathDetail out;
  Detail detail(shape, ws, out);
  detail.add_passes();
  detail.add_pairs();
  detail.add_blocks();
  const workload::StepTail& tail = ws.work.tail;
  const std::int32_t last = ws.path_end.last_stage, updates = ws.path_end.update_stage;
  detail.add_tail(tail.gradients.row(last), last);
  detail.add_tail(tail.grad_norm.row(last), last);
  detail.add_tail(tail.update.row(updates < 0 ? last : updates), updates < 0 ? last : updates);
  out.host += host_per_step;
  out.rest = step - out.hops - out.host;
  for (const SimTime time : out.work) out.rest -= time;
  return out;
}

}  // namespace echo::simulate
