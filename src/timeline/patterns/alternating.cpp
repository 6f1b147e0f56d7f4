#include "timeline/patterns/alternating.hpp"

#include <algorithm>

namespace echo::timeline {
namespace {

// The passes of one kind over a stage's chunks, starting at its k-th.
class Passes {
 public:
  Passes(const PipelineShape& shape, std::int32_t stage, TaskKind kind, std::int32_t k)
      : kind_(kind),
        stages_(shape.stages),
        stage_(stage),
        laps_(shape.chunks / shape.stages),
        microbatches_(shape.microbatches),
        group_(group_of(shape)) {
    const std::int32_t last_group = (microbatches_ - 1) / group_;
    const std::int32_t group = std::min(k / (group_ * laps_), last_group);
    start_group(group * group_);
    const std::int32_t in_group = k - group_start_ * laps_;
    turn_ = in_group / size_;
    microbatch_ = in_group % size_;
    set_chunk();
  }

  Task next() {
    const Task task = task_of(kind_, chunk_, group_start_ + microbatch_);
    if (++microbatch_ == size_) {
      microbatch_ = 0;
      if (++turn_ == laps_) turn_ = 0, start_group(group_start_ + group_);
      set_chunk();
    }
    return task;
  }

 private:
  void start_group(std::int32_t microbatch) {
    group_start_ = microbatch;
    size_ = std::min(group_, microbatches_ - microbatch);
  }
  void set_chunk() {
    const std::int32_t lap = kind_ == TaskKind::forward ? turn_ : laps_ - 1 - turn_;
    chunk_ = lap * stages_ + stage_;
  }

  TaskKind kind_;
  std::int32_t stages_, stage_, laps_, microbatches_, group_;
  std::int32_t group_start_ = 0, size_ = 0;  // of the group under way
  std::int32_t turn_ = 0, microbatch_ = 0, chunk_ = 0;
};

}  // namespace

static void append_whole(const PipelineShape& shape, std::int32_t stage, std::int32_t warm_up,
                         std::int32_t from, std::int32_t to, std::vector<Task>& out) {
  const std::int32_t passes = shape.chunks / shape.stages * shape.microbatches;
  to = std::min(to, 2 * passes);
  if (to <= from) return;
  const std::int32_t drain = 2 * passes - warm_up;  // the position from which all are backwards
  const std::int32_t forwards = std::min({from, (from + warm_up + 1) / 2, passes});
  Passes forward(shape, stage, TaskKind::forward, forwards);
  Passes backward(shape, stage, TaskKind::backward, from - forwards);
  const std::size_t size = out.size();
  out.resize(size + static_cast<std::size_t>(to - from));
  Task* task = out.data() + size;
  std::int32_t i = from;
  for (; i < std::min(warm_up, to); ++i) *task++ = forward.next();
  for (; i < std::min(drain, to); ++i) {
    *task = (i - warm_up) % 2 == 0 ? forward.next() : backward.next();
    task->with_next = shape.pairs && task->kind == TaskKind::forward;
    ++task;
  }
  for (; i < to; ++i) *task++ = backward.next();
}

void append_alternating(const PipelineShape& shape, std::int32_t stage, std::int32_t warm_up,
                        std::int32_t from, std::int32_t to, std::vector<Task>& out) {
  const std::size_t before = out.size();
  append_whole(shape, stage, warm_up, from, to, out);
  const ChunkId last(shape.chunks - 1);
  if (shape.deferred == 0 || last.index() % shape.stages != stage) return;
  const std::int32_t whole = 2 * shape.chunks / shape.stages * shape.microbatches;
  for (std::size_t i = before; i < out.size(); ++i)
    if (out[i].kind == TaskKind::backward && out[i].chunk == last &&
        out[i].microbatch.index() < shape.deferred)
      out[i].kind = TaskKind::backward_input;
  for (std::int32_t i = std::max(0, from - whole); i < std::min(shape.deferred, to - whole); ++i)
    out.push_back({TaskKind::backward_weight, last, MicrobatchId(i)});
}

}  // namespace echo::timeline
