#include "simulate/unfold/task_blocks.hpp"

#include "base/contract.hpp"

namespace echo::simulate {

namespace {

using timeline::Task;
using timeline::TaskKind;
using workload::BlockRun;

void add(const workload::Workload& work, PassKind kind, ChunkId chunk, std::vector<BlockRun>& out) {
  each_run(work, kind, chunk, [&](const BlockRun& run) { out.push_back(run); });
}

void add_task(const Task& task, bool is_last, const workload::Workload& work, TaskBlocks& out) {
  const PassKind kind = pass_of(task, is_last);
  const bool own = !own_block(work, kind, task.chunk).is_none();
  if (kind == PassKind::first_forward && own) out.gathers_ahead = !work.gathers_once;
  if (task.kind != TaskKind::backward_weight) return add(work, kind, task.chunk, out.runs);
  add(work, own ? kind : PassKind::weight_gradients, task.chunk, out.runs);
  if (own) add(work, PassKind::input_gradients, task.chunk, out.done);
}

}  // namespace

TaskBlocks blocks_of(const Slice& slice, const SimulatedStep& step) {
  ECHO_EXPECT(slice.kind == SliceKind::task);
  const workload::Workload& work = step.work;
  TaskBlocks out;
  if (slice.is_pair && work.pairs.rows() > 0) {
    for (const BlockRun& run : work.pairs.row(pair_of(step.layout, {slice.task.chunk, slice.partner.chunk})))
      out.runs.push_back(run);
    return out;
  }
  add_task(slice.task, slice.is_last, work, out);
  if (slice.is_pair) add_task(slice.partner, false, work, out);  // one after the other
  return out;
}

}  // namespace echo::simulate
