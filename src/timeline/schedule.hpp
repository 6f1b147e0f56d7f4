// Pipeline schedules: in which order each stage runs its forward and backward tasks. Plug-ins in schedules/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/units.hpp"

namespace echo::timeline {

// chunks = all model chunks (pipeline * virtual stages), in the order a microbatch visits them.
struct PipelineShape {
  std::int32_t stages = 1, chunks = 1, microbatches = 1;
  std::span<const std::int32_t> stage_of_chunk;  // [chunks]
};

// Times of one microbatch in one chunk. Schedules that do not split the backward use backward_input + backward_weight.
// first_forward / last_backward: the microbatch that also carries parameter gathers / gradient traffic.
struct ChunkTimes {
  SimTime forward{}, backward_input{}, backward_weight{}, first_forward{}, last_backward{};
};

enum class TaskKind : std::int8_t { forward, backward, backward_input, backward_weight };
struct Task {
  TaskKind kind{};
  std::int32_t chunk = 0, microbatch = 0;
  friend constexpr auto operator<=>(const Task&, const Task&) = default;
};

struct Schedule {
  const char* name;
  const char* source;
  // Null when the shape is admitted, else static text saying why not ("needs microbatches divisible by stages").
  const char* (*admits)(const PipelineShape&);
  // The chunk-to-stage map of this schedule (round robin for interleaved, V for V-schedules). out: [chunks].
  void (*place)(std::int32_t stages, std::int32_t chunks, std::span<std::int32_t> out);
  // One row per stage, tasks in execution order. May look at times and the memory limit (in microbatch-chunks per
  // stage; 0 = none). Every task once; causal; free of deadlock.
  void (*order)(const PipelineShape&, std::span<const ChunkTimes>, std::int32_t memory_limit, Csr<Task>& out);
  // Most microbatch-chunks a stage holds activations of at once.
  std::int32_t (*in_flight)(const PipelineShape&, std::int32_t stage);
  bool splits_backward;
  bool interleaves;  // wants chunks > stages
};

[[nodiscard]] std::span<const Schedule* const> schedule_table();  // sorted by name; ids index it

}  // namespace echo::timeline
