#include "simulate/unfold/task_blocks.hpp"

#include "base/contract.hpp"

namespace echo::simulate {

namespace {

using timeline::Task;
using timeline::TaskKind;
using workload::BlockRun;

void add(std::span<const BlockRun> runs, std::vector<BlockRun>& out) {
  out.insert(out.end(), runs.begin(), runs.end());
}

void add_forward(const Task& task, const workload::Workload& work, TaskBlocks& out) {
  const std::int32_t first = work.first_forward[static_cast<std::size_t>(task.chunk)];
  if (task.microbatch > 0 || first < 0) return add(work.forward.row(task.chunk), out.runs);
  out.runs.push_back({first, 1});
  out.gathers_ahead = !work.gathers_once;
}

void add_backward(const Task& task, bool is_last, const workload::Workload& work, TaskBlocks& out) {
  const bool some_split = work.input_gradients.rows() > 0;
  const std::int32_t last = is_last ? work.last_backward[static_cast<std::size_t>(task.chunk)] : -1;
  const auto input = (some_split ? work.input_gradients : work.backward).row(task.chunk);
  switch (task.kind) {
    case TaskKind::backward_input:
      return add(input, out.runs);
    case TaskKind::backward_weight:
      if (last < 0) return add(work.weight_gradients.row(task.chunk), out.runs);
      out.runs.push_back({last, 1});
      return add(input, out.done);
    case TaskKind::backward:
    case TaskKind::forward:
      break;
  }
  if (last >= 0) return out.runs.push_back({last, 1});
  add(work.backward.row(task.chunk), out.runs);
  if (!some_split) add(work.weight_gradients.row(task.chunk), out.runs);
}

}  // namespace

TaskBlocks blocks_of(const Slice& slice, const Workspace& ws) {
  ECHO_EXPECT(slice.kind == SliceKind::task);
  const workload::Workload& work = ws.work;
  TaskBlocks out;
  if (slice.is_pair && work.pairs.rows() > 0) {
    const auto stages = static_cast<std::int32_t>(ws.pipeline.stages.size());
    const std::int32_t laps = static_cast<std::int32_t>(ws.chunks.size()) / stages;
    add(work.pairs.row(slice.task.chunk * laps + slice.partner.chunk / stages), out.runs);
  } else if (slice.is_pair) {  // one after the other
    add_forward(slice.task, work, out);
    add_backward(slice.partner, false, work, out);
  } else if (slice.task.kind == TaskKind::forward) {
    add_forward(slice.task, work, out);
  } else {
    add_backward(slice.task, slice.is_last, work, out);
  }
  return out;
}

}  // namespace echo::simulate
