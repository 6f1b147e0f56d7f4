// Composition of the pipelined part of a step from stages and microbatches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/units.hpp"
#include "timeline/pipeline/order_memo.hpp"
#include "timeline/pipeline/program_run.hpp"
#include "timeline/pipeline/stage.hpp"
#include "timeline/pipeline/trail.hpp"
#include "timeline/schedule.hpp"

namespace echo::timeline {

// Transfers between neighbouring chunks c -> c+1 (forward) and c+1 -> c (backward); [chunks - 1] each, or
// empty: transfers take no time. Ignored between chunks of one stage.
struct Hops {
  std::span<const SimTime> forward, backward;
  bool overlapped =
      false;  // false: sender and receiver wait for the transfer (Megatron without --overlap-p2p)
};

struct StageTimes {
  SimTime compute_end{};  // end of its last task and of the blocking transfer after it
  SimTime data_end{};     // end of its gradient traffic (>= 0; 0 when none)
  SimTime busy{};         // sum of its task durations
  SimTime hop_wait{};  // compute time lost inside blocking transfers themselves (not waiting for the partner)
  SimTime gather_wait{};  // extra time of first forwards until their weights arrived (not part of busy)
  friend bool operator==(const StageTimes&, const StageTimes&) = default;
};

struct PipelineTimes {
  SimTime end{};                   // max over stages of max(compute_end, data_end)
  std::vector<StageTimes> stages;  // [stages]; reused by the caller
  std::vector<std::int32_t>
      pairs;  // [chunks][chunks of a stage] number of runs, as in `pairs` below; or empty
  std::vector<std::int32_t> apart;  // [chunks] split backwards, except the last backward of the chunk
};

// A task as it ran; filled only on request (traces, tests).
struct PlacedTask {
  std::int32_t stage = 0;
  Task task;
  SimTime start{}, end{};
  friend bool operator==(const PlacedTask&, const PlacedTask&) = default;
};

// Reused buffers; results never depend on their contents.
struct PipelineScratch {
  OrderMemo orders;
  // Where the schedule has a program: blocking transfers, overlapped ones.
  ProgramMemo programs;
  std::array<ProgramRun, 2> runs;
  bool overlapped = false;                  // in the last run
  std::int64_t tasks_run = 0;               // by the last call; skipped ones do not count
  Csr<Task> planned;                        // [stages] the order of a schedule without a closed form
  std::vector<std::int32_t> cursor;         // [stages] number of tasks that ran
  std::vector<StageState> stages, earlier;  // [stages] now, and at an earlier repeat
  std::vector<Leg> legs;                    // [3 * chunks]
  std::vector<PairLeg> pairs;               // [chunks][chunks of a stage], or empty
  std::vector<SimTime> ready;               // [microbatches][2 * chunks + 1] when the input of a leg arrived
};

// One set of durations, as compose_pipeline takes them, and the result.
struct PipelineCase {
  std::span<const ChunkTimes> times;
  std::span<const DataLane> data;
  std::span<const SimTime> pairs;
  PipelineTimes* out = nullptr;
};

// Contract: the schedule admits `shape`; times: [chunks]; data: [chunks], or empty: no gradient traffic.
// Deterministic. Integer picoseconds. Throws ContractViolation if the order deadlocks. `placed`, when not
// null, receives every task. pairs: duration of the forward of a chunk and the backward of the i-th chunk of
// its stage as one, [chunks][chunks of a stage]; empty: the sum of both. trail, when not null, receives what
// each task waited for (trail.hpp). Cost: O(stages * chunks) if the schedule has a closed form and the steady
// state is proven to repeat, else O(tasks).
void compose_pipeline(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
                      const Hops& hops, std::span<const DataLane> data, PipelineScratch& scratch,
                      PipelineTimes& out, std::vector<PlacedTask>* placed = nullptr,
                      std::span<const SimTime> pairs = {}, Trail* trail = nullptr);

// As compose_pipeline for each case, at less cost than one after the other; the trail is that of the last
// case, and of `scratch` what find_path reads. Contract: as there; 1 to most_cases cases.
void compose_pipelines(const PipelineShape&, const Schedule&, std::span<const PipelineCase>, const Hops&,
                       PipelineScratch& scratch, Trail* trail);

}  // namespace echo::timeline
