#include "simulate/step/path_detail.hpp"

#include "base/at.hpp"
#include "simulate/prices/host_time.hpp"
#include "simulate/step/path_passes.hpp"
#include "timeline/block/block_path.hpp"

namespace echo::simulate {

namespace {

class Detail {
 public:
  Detail(const StepInput& input, const ComposedStep& step, PathDetail& out)
      : input_(input), work_(input.work), step_(step), out_(out) {
    out.stage.resize(step.pipeline.stages.size());
    out.work.resize(input.prices.alone.size());
  }

  void add_passes() {
    const auto chunks = static_cast<std::int32_t>(step_.chunks.size());
    const timeline::PipelineShape shape = input_.shape();
    const timeline::Route route(shape);
    for (const ChunkId chunk : ids<ChunkId>(chunks)) {
      each_pass_on_path(
          step_.path, route, work_, step_.chunks[at(chunk)], chunk,
          [&](PassKind kind, std::int64_t count) { add(chunk, step_.chunks[at(chunk)][kind], count); });
      const auto transfers = [&](timeline::TaskKind kind) {
        return step_.path.legs[at(route.leg_of({kind, chunk}))].transfers;
      };
      if (chunk.index() + 1 < chunks)
        out_.hops += transfers(timeline::TaskKind::forward) * input_.prices.hop_forward[at(chunk)];
      if (chunk > ChunkId(0))
        out_.hops += transfers(timeline::TaskKind::backward) * input_.prices.hop_backward[at(chunk - 1)];
    }
    each_pair_on_path(
        step_.path, input_.layout, work_,
        [&](std::int32_t pair, std::int64_t count) {
          add(chunks_of_pair(input_.layout, pair).forward, step_.pairs[at(pair)], count);
        },
        [&](ChunkId chunk, PassKind kind, std::int64_t count) {
          add(chunk, step_.chunks[at(chunk)][kind], count);
        });
  }

  // Counts every op on the chain back from the block's end as often as the block lies on the path.
  void add_blocks() {
    timeline::BlockScratchData ran;
    for (std::size_t block = 0; block < step_.path_blocks.size(); ++block) {
      const std::int64_t count = step_.path_blocks[block];
      if (count == 0) continue;
      const workload::OpGraph& graph = work_.blocks[block];
      const timeline::OpGraphView view{graph.lane, graph.part, graph.work, &graph.needs};
      (void)timeline::compose_block(view, input_.prices.alone, input_.prices.factors(), ran);
      for (OpId op = timeline::last_of(view, Lane::compute); !op.is_none();
           op = timeline::waited_for(view, ran, op))
        out_.work[at(graph.work[at(op)])] += count * (ran.end[at(op)] - ran.start[at(op)]);
    }
  }

  void add_tail(std::span<const workload::WorkRun> runs, StageId stage) {
    for (const workload::WorkRun& run : runs) {
      const SimTime time = run.count * input_.prices.alone[at(run.work)];
      out_.work[at(run.work)] += time;
      out_.stage[at(stage)] += time;
    }
  }

 private:
  void add(ChunkId chunk, const Cost& cost, std::int64_t count) {
    out_.stage[at(input_.layout.stage_of_chunk[at(chunk)])] += count * cost.time;
    out_.host += count * cost.wait;
  }

  const StepInput& input_;
  const workload::Workload& work_;
  const ComposedStep& step_;
  PathDetail& out_;
};

}  // namespace

PathDetail path_detail(const StepInput& input, const ComposedStep& step) {
  PathDetail out;
  Detail detail(input, step, out);
  detail.add_passes();
  detail.add_blocks();
  const workload::StepTail& tail = input.work.tail;
  const StepEnd& end = step.outcome.end;
  const StageId last = end.last_stage, updates = end.update_stage.is_none() ? last : end.update_stage;
  detail.add_tail(tail.gradients.row(last), last);
  detail.add_tail(tail.grad_norm.row(last), last);
  detail.add_tail(tail.update.row(updates), updates);
  out.host += host_of_step(input.framework, tail);
  out.rest = step.outcome.step - out.hops - out.host;
  for (const SimTime time : out.work) out.rest -= time;
  return out;
}

}  // namespace echo::simulate
