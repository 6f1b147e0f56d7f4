// Records what each task of a pipeline waited for, and derives the critical path: the number of times that
// each duration occurs on the chain of tasks and transfers that ends last. Explained in trail.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/at.hpp"
#include "timeline/pipeline/stage.hpp"
#include "timeline/schedule.hpp"

namespace echo::timeline {

// One task: its predecessor on its stage, and that of its transfer on its link; -1: none. A pair is recorded
// with its forward; the record of its backward only refers to it and has its own transfer.
struct Step {
  std::int32_t before = -1, link_before = -1;
  std::int32_t partner = -1;  // only read where there are pairs
  Cause cause;
  bool is_second = false;  // the same: the backward of a pair
};

// Where tasks that are no pairs are noted; a trail's own places, looked up once.
struct Notes {
  Step* steps = nullptr;
  std::int32_t* last = nullptr;
  std::array<std::int32_t, 2>* sent = nullptr;

  // Without what a special task adds.
  [[gnu::always_inline]] void note(std::int32_t stage, std::int32_t place, bool is_forward,
                                   Cause cause) const {
    Step& step = steps[at(place)];
    step.before = last[at(stage)];
    step.cause = cause;
    last[at(stage)] = place;
    if (!cause.flies) return;
    std::int32_t& link = sent[at(stage)][is_forward ? 0 : 1];
    step.link_before = link;
    link = place;
  }
};

struct Trail {
  // Where a program ran, no steps are noted, for they follow from its times (program_steps.hpp).
  bool of_program = false;
  std::vector<std::uint8_t> gathered;  // [chunks] whether its first forward waited for weights
  std::vector<DataEnd> data_end;       // [chunks] of its gradient traffic
  // A step's index is microbatch * 3 * chunks + leg; only steps that ran are written.
  std::vector<Step> steps;
  std::vector<std::int32_t> last;  // [stages] its last task
  std::vector<std::array<std::int32_t, 2>>
      sent;                          // [stages] its last overlapped transfers forward and backward
  std::vector<ChunkId> data_last;    // [stages] chunk whose gradient traffic came last
  std::vector<ChunkId> data_before;  // [chunks] previous chunk on the data lane, or none
  std::vector<std::int32_t> final;   // [chunks] index of the task with which it sent its gradients
  // The skipped stretch (repeat.cpp): `skipped` microbatches, whole cycles of `cycle`, after the first `ran`
  // tasks of each leg. skipped = 0: none.
  std::int32_t skipped = 0, cycle = 0;
  std::vector<std::int32_t> ran;  // [3 * chunks]
  std::int32_t legs = 0;
  bool has_pairs = false;

  void start(const PipelineShape&);
  void start_program(const PipelineShape&);
  [[nodiscard]] std::int32_t place(MicrobatchId microbatch, std::int32_t leg) const {
    return microbatch.index() * legs + leg;
  }
  void note(std::int32_t stage, std::int32_t place, const Task& task, const Ran& did) {
    notes().note(stage, place, task.kind == TaskKind::forward, did.cause);
    steps[at(place)].partner = -1, steps[at(place)].is_second = false;
    if (did.cause.special) note_special(stage, task.chunk, place, did.cause);
  }
  [[nodiscard]] Notes notes() { return {steps.data(), last.data(), sent.data()}; }
  void note_special(std::int32_t stage, ChunkId chunk, std::int32_t place, const Cause& cause);
  void note_gathered(ChunkId chunk) { gathered[at(chunk)] = 1; }
  void note_data(std::int32_t stage, ChunkId chunk, std::int32_t place, DataEnd);
  void note_pair(std::int32_t stage, std::int32_t forward, std::int32_t backward, const PairRan& did) {
    Step& step = add(stage, forward, true, did.forward);
    Step& second = add(stage, backward, false, did.backward);
    std::int32_t& own = last[at(stage)];
    step.before = own;
    step.partner = backward, step.is_second = false;
    second.partner = forward;
    has_pairs = true;
    second.is_second = true;
    own = forward;
  }

 private:
  Step& add(std::int32_t stage, std::int32_t place, bool is_forward, Cause cause) {
    Step& step = steps[at(place)];
    step.cause = cause;
    if (!cause.flies) return step;
    std::int32_t& link = sent[at(stage)][is_forward ? 0 : 1];
    step.link_before = link;
    link = place;
    return step;
  }
};

// Number of times that the durations of a leg occur on the path: its usual and its special task, a backward
// without its weight gradients, the transfer after it.
struct LegCounts {
  std::int64_t usual = 0, special = 0, split = 0, transfers = 0;
  friend bool operator==(const LegCounts&, const LegCounts&) = default;
};

// The same of a chunk's gradient traffic.
struct DataCounts {
  std::int64_t first_start = 0, busy = 0, lag = 0;
  friend bool operator==(const DataCounts&, const DataCounts&) = default;
};

struct PipelinePath {
  std::vector<LegCounts> legs;      // [3 * chunks]
  std::vector<DataCounts> data;     // [chunks]
  std::vector<std::int64_t> pairs;  // [chunks][chunks of a stage], as compose_pipeline takes their durations
  ChunkId gathered;                 // the path begins when this chunk's weights arrive; none: with the step
  std::vector<LegCounts> saved_legs;  // scratch of the search
  std::vector<std::int64_t> saved_pairs;
};

struct PipelineScratch;
struct StageTimes;
struct ProgramRun;

// The path that ends when `stage` is done, including gradient traffic. Contract: `trail` was given to
// compose_pipeline, and `scratch` has not been used since. Ties take the stage's own previous work.
// Changes of `scratch` only what it keeps of walks.
void find_path(const PipelineShape&, const Schedule&, const Trail& trail, PipelineScratch& scratch,
               const StageTimes&, std::int32_t stage, PipelinePath& out);

}  // namespace echo::timeline
