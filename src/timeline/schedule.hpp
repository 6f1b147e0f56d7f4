// Pipeline schedules: the order in which each stage runs its tasks. Plug-ins in schedules/.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/ids.hpp"
#include "base/refusal.hpp"
#include "base/units.hpp"

namespace echo::timeline {

struct GivenOrder;

// chunks = all model chunks (pipeline * virtual stages), in the order a microbatch visits them. If the stages
// hold two copies of the model, chunks lists one copy after the other, and each copy processes its share of
// the microbatches, numbered from 0.
struct PipelineShape {
  std::int32_t stages = 1, chunks = 1, microbatches = 1;
  std::span<const std::int32_t> stage_of_chunk;  // [chunks]
  std::int32_t microbatch_group =
      0;                    // interleaved: microbatches through one chunk before the next; 0 = stages
  bool pairs = false;       // 1F1B: forwards run as one with the backwards they alternate with
  std::int32_t copies = 1;  // of the model
  const GivenOrder* given = nullptr;  // the schedule's own
  // Microbatches, fewer than all, whose backward through the last chunk leaves its weight gradients to the
  // end of the stage's order.
  std::int32_t deferred = 0;
};
[[nodiscard]] constexpr std::int32_t microbatches_per_chunk(const PipelineShape& shape) {
  return shape.microbatches / shape.copies;
}

// Times of one microbatch in one chunk. Schedules that do not split the backward use backward_input +
// backward_weight. `gathered`: the first forward of a chunk cannot end before this instant of the step,
// because its weights are still arriving. last_backward: the last backward of a chunk also carries gradient
// traffic; with a split backward, the last backward_weight lasts last_backward - backward_input.
// whole_backward: the unsplit backwards of schedules that split only some.
struct ChunkTimes {
  SimTime forward{}, backward_input{}, backward_weight{}, gathered{}, last_backward{}, whole_backward{};
  SimTime first_forward{};  // of the first microbatch, which may be longer
  friend bool operator==(const ChunkTimes&, const ChunkTimes&) = default;
};

enum class TaskKind : std::int8_t { forward, backward, backward_input, backward_weight };
// A pair is a forward and the backward of another microbatch that follows it, run as one: it starts when both
// inputs are available, and sends both outputs at its end (Megatron-LM combined_1f1b.py and
// model_chunk_schedule_plan.py, DualPipe's overlapped_forward_backward). Neither a chunk's first forward nor
// its last backward is in a pair.
struct Task {
  TaskKind kind{};
  ChunkId chunk{0};
  MicrobatchId microbatch{0};
  bool with_next = false;  // a forward that is a pair with the next task; not part of its identity
  friend constexpr bool operator==(const Task& a, const Task& b) {
    return a.kind == b.kind && a.chunk == b.chunk && a.microbatch == b.microbatch;
  }
  friend constexpr std::strong_ordering operator<=>(const Task& a, const Task& b) {
    if (const auto order = a.kind <=> b.kind; order != 0) return order;
    if (const auto order = a.chunk <=> b.chunk; order != 0) return order;
    return a.microbatch <=> b.microbatch;
  }
};
// From the plain numbers that an order is computed with.
[[nodiscard]] constexpr Task task_of(TaskKind kind, std::int32_t chunk, std::int32_t microbatch,
                                     bool with_next = false) {
  return {kind, ChunkId(chunk), MicrobatchId(microbatch), with_next};
}

// The part of a stage's order that repeats: from position `first`, `repeats` times `length` tasks, each time
// the same tasks with all microbatches `advance` later. length, advance and repeats are the same on every
// stage.
// Guarantees: it contains neither a first forward nor a last backward of a chunk; each repeat runs every kind
// of task of every chunk `advance` times (if some backwards are split: whole ones); tasks of one kind and
// chunk run in microbatch order from 0; no pair crosses its ends; and the stages can run repeat by repeat (no
// task of repeat r needs one of r + 1).
struct SteadyStretch {
  std::int32_t first = 0, length = 0, advance = 0, repeats = 0;
};

// Whether an order contains pairs: never, if PipelineShape::pairs is set, or always.
enum class Pairs : std::int8_t { never, on_demand, always };

// What a schedule requires of a shape. Does not look at stage_of_chunk.
struct ShapeRule {
  Refusal otherwise;
  bool (*holds)(const PipelineShape&);
};

struct Schedule {
  const char* name;
  const char* source;
  std::span<const ShapeRule> rules;  // tested in their order, each only where those before it hold
  // The chunk-to-stage map of this schedule (round robin for interleaved, V for V-schedules). out: [chunks].
  void (*place)(std::int32_t stages, std::int32_t chunks, std::span<std::int32_t> out);
  // Maximum number of microbatch-chunks whose activations a stage holds at once.
  std::int32_t (*in_flight)(const PipelineShape&, std::int32_t stage);
  bool splits_backward;
  bool interleaves;  // requires chunks > stages (of all copies)
  // The order, in one of two forms; order_of lists it from either. Every task once; causal; free of deadlock.
  // `slice`, a closed form: appends positions [from, to) of a stage's order (if some backwards are split, up
  // to its end); with `steady`, cost does not grow with microbatches. `plan`, which may depend on times: one
  // row per stage, tasks in execution order.
  void (*slice)(const PipelineShape&, std::int32_t stage, std::int32_t from, std::int32_t to,
                std::vector<Task>& out) = nullptr;
  SteadyStretch (*steady)(const PipelineShape&, std::int32_t stage) = nullptr;
  void (*plan)(const PipelineShape&, std::span<const ChunkTimes>, Csr<Task>& out) = nullptr;
  Pairs pairs = Pairs::never;
  bool mixes_backwards = false;       // some backwards are split, others whole; not with splits_backward
  std::int32_t copies = 1;            // of the model and its gradients on the stages, all trained
  const GivenOrder* given = nullptr;  // for an order from a file: the required PipelineShape::given
  bool defers = false;  // obeys PipelineShape::deferred, as which mixes backwards and has no steady stretch

  // The first rule that the shape breaks; none if it is admitted.
  [[nodiscard]] Refusal refuses(const PipelineShape& shape) const {
    for (const ShapeRule& rule : rules)
      if (!rule.holds(shape)) return rule.otherwise;
    return {};
  }
};

[[nodiscard]] std::span<const Schedule* const> schedule_table();  // sorted by file name; ids index it

// All stages' orders, one row per stage, tasks in execution order.
void order_of(const Schedule&, const PipelineShape&, std::span<const ChunkTimes>, Csr<Task>& out);

// The schedule with weight gradients put off. Contract: schedule.defers.
[[nodiscard]] Schedule deferring(Schedule schedule);

// Placements of chunks: chunk c on stage c % stages; down the stages and up again (V). Defined for all
// arguments, because they are called before `refuses`.
void place_round_robin(std::int32_t stages, std::int32_t chunks, std::span<std::int32_t> out);
void place_v(std::int32_t stages, std::int32_t chunks, std::span<std::int32_t> out);

}  // namespace echo::timeline
