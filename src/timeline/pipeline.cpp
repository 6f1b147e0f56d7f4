// Pipeline composition: every stage runs its tasks in the schedule's order as soon as their inputs arrive.
//
// The plain loop visits stages down and up the pipeline in turn and lets each run until an input is missing;
// the order of visits cannot change any time, since a task's start depends only on its stage's past and on
// its input. All times come from maxima and sums of integers. Source of the idea: max-plus recurrences of
// timed event graphs (Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity", 1992). Transfers:
// see stage.cpp. Repetition: see repeat.cpp.
#include "timeline/pipeline.hpp"

#include "base/contract.hpp"
#include "timeline/repeat.hpp"

namespace echo::timeline {
namespace {

constexpr SimTime absent{-1};

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Runs tasks of one stage from `cursor` on until one lacks its input; returns the new cursor.
template <bool overlapped>
std::int32_t run_stage(const PipelineShape& shape, std::int32_t stage, std::int32_t cursor,
                       PipelineScratch& scratch, std::vector<PlacedTask>* placed) {
  const std::span<const Task> order = scratch.order.row(stage);
  const std::int32_t end = static_cast<std::int32_t>(order.size());
  const std::size_t row = 2 * at(shape.chunks) + 1;
  StageState& state = scratch.stages[at(stage)];
  for (; cursor < end; ++cursor) {
    const Task& task = order[at(cursor)];
    const std::int32_t leg = leg_of(task, shape.chunks);
    const bool passes_on = leg < 2 * shape.chunks;
    SimTime* const ready = scratch.ready.data() + at(task.microbatch) * row + at(leg);
    const SimTime arrival = passes_on ? *ready : SimTime::zero();
    if (arrival == absent) break;
    const Ran ran =
        run_task<overlapped>(state, scratch.legs[at(leg)], task.kind == TaskKind::forward, arrival);
    if (passes_on) ready[1] = ran.handed_on;
    if (placed != nullptr) placed->push_back({stage, task, ran.start, ran.end});
  }
  return cursor;
}

// Sweeps down (as forwards flow) or up (as backwards flow), turning round when a sweep ran less than a task
// per stage.
template <bool overlapped>
void run_all(const PipelineShape& shape, PipelineScratch& scratch, std::vector<PlacedTask>* placed) {
  scratch.cursor.assign(at(shape.stages), 0);
  std::int32_t fruitless = 0;
  bool down = true;
  for (std::size_t left = scratch.order.value.size(); left > 0;) {
    std::int32_t moved = 0;
    for (std::int32_t i = 0; i < shape.stages; ++i) {
      const std::int32_t stage = down ? i : shape.stages - 1 - i;
      std::int32_t& cursor = scratch.cursor[at(stage)];
      const std::int32_t reached = run_stage<overlapped>(shape, stage, cursor, scratch, placed);
      moved += reached - cursor;
      cursor = reached;
    }
    left -= at(moved);
    fruitless = moved > 0 ? 0 : fruitless + 1;
    ECHO_EXPECT(fruitless < 2);  // the order is free of deadlock
    if (moved < shape.stages) down = !down;
  }
}

// One stage, one chunk: the sum. Its last task is the last backward, whatever the schedule.
void run_alone(std::int32_t microbatches, PipelineScratch& scratch) {
  const Leg& forward = scratch.legs[0];
  const Leg& backward = scratch.legs[1];
  StageState& stage = scratch.stages[0];
  stage.gather_wait = std::max(SimTime::zero(), forward.not_before - forward.duration);
  stage.clock = microbatches * forward.duration + stage.gather_wait + (microbatches - 1) * backward.duration +
                backward.special;
  stage.sent = stage.clock;
  add_data(stage, backward.data, stage.clock - backward.special, stage.clock);
}

void run_plain(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
               bool overlapped, PipelineScratch& scratch, std::vector<PlacedTask>* placed) {
  schedule.order(shape, times, 0, scratch.order);
  ECHO_EXPECT(scratch.order.rows() == shape.stages);
  const std::size_t row = 2 * at(shape.chunks) + 1;
  scratch.ready.assign(row * at(shape.microbatches), absent);
  for (std::size_t i = 0; i < scratch.ready.size(); i += row) scratch.ready[i] = SimTime::zero();
  if (overlapped) {
    run_all<true>(shape, scratch, placed);
  } else {
    run_all<false>(shape, scratch, placed);
  }
}

// Every task ran once, so busy time needs no loop over tasks; what is neither busy nor waiting went into
// transfers.
void read_out(const PipelineShape& shape, bool overlapped, const PipelineScratch& scratch,
              PipelineTimes& out) {
  out.stages.assign(at(shape.stages), StageTimes{});
  for (std::int32_t index = 0; index < 3 * shape.chunks; ++index) {
    const Leg& leg = scratch.legs[at(index)];
    SimTime busy = leg.duration * shape.microbatches;
    if (leg.special_at >= 0) busy += leg.special - leg.duration;
    out.stages[at(shape.stage_of_chunk[at(chunk_of(index, shape.chunks))])].busy += busy;
  }
  out.end = SimTime::zero();
  for (std::size_t s = 0; s < out.stages.size(); ++s) {
    const StageState& state = scratch.stages[s];
    StageTimes& stage = out.stages[s];
    stage.compute_end = std::max(state.sent, state.clock);
    stage.data_end = state.data_end;
    stage.gather_wait = state.gather_wait;
    if (!overlapped) stage.hop_wait = stage.compute_end - stage.busy - state.waited - stage.gather_wait;
    out.end = std::max({out.end, stage.compute_end, stage.data_end});
  }
}

}  // namespace

void compose_pipeline(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
                      const Hops& hops, std::span<const DataLane> data, PipelineScratch& scratch,
                      PipelineTimes& out, std::vector<PlacedTask>* placed) {
  ECHO_EXPECT(shape.stages > 0 && shape.microbatches > 0 && shape.chunks >= shape.stages);
  ECHO_EXPECT(times.size() == at(shape.chunks) && shape.stage_of_chunk.size() == at(shape.chunks));
  ECHO_EXPECT(hops.forward.empty() || hops.forward.size() == at(shape.chunks - 1));
  ECHO_EXPECT(hops.backward.empty() || hops.backward.size() == at(shape.chunks - 1));
  ECHO_EXPECT(data.empty() || data.size() == at(shape.chunks));
  lay_legs(shape, schedule, times, hops, data, scratch.legs);
  scratch.stages.assign(at(shape.stages), StageState{});
  if (placed != nullptr) placed->clear();
  if (placed == nullptr && shape.chunks == 1 && !schedule.splits_backward) {
    run_alone(shape.microbatches, scratch);
  } else if (placed != nullptr || !run_repeating(shape, schedule, hops.overlapped, scratch)) {
    run_plain(shape, schedule, times, hops.overlapped, scratch, placed);
  }
  read_out(shape, hops.overlapped, scratch, out);
}

}  // namespace echo::timeline
