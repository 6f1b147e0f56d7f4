// Pipeline composition: every stage runs its tasks in the schedule's order as soon as their inputs arrive.
//
// The plain loop visits stages down and up the pipeline in turn and lets each run until an input is missing;
// the order of visits cannot change any time, since a task's start depends only on its stage's past and on
// its input. All times are maxima and sums of integers. Source of the idea: max-plus recurrences of timed
// event graphs (Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity", 1992). Transfers: see
// stage.cpp. Repetition: see repeat.cpp.
#include "timeline/pipeline/pipeline.hpp"

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/pipeline/repeat.hpp"
#include "timeline/pipeline/run_program.hpp"

namespace echo::timeline {
namespace {

constexpr SimTime absent{-1};

// Runs tasks of one stage from `cursor` on until one lacks its input; returns the new cursor.
template <bool overlapped>
std::int32_t run_stage(const PipelineShape& shape, std::int32_t stage, std::span<const Task> order,
                       std::int32_t cursor, PipelineScratch& scratch, std::vector<PlacedTask>* placed,
                       Trail* trail) {
  const std::int32_t end = static_cast<std::int32_t>(order.size());
  const std::size_t row = 2 * at(shape.chunks) + 1;
  const Route route(shape);
  StageState& state = scratch.stages[at(stage)];
  Leg* const legs = scratch.legs.data();
  const auto ready_of = [&](const Task& task, std::int32_t leg) {
    return scratch.ready.data() + at(task.microbatch) * row + at(leg);
  };
  for (; cursor < end; ++cursor) {
    const Task& task = order[at(cursor)];
    const std::int32_t index = route.leg_of(task);
    Leg& leg = legs[index];
    SimTime* const ready = ready_of(task, index);
    const SimTime arrival = leg.reads ? *ready : SimTime::zero();
    if (arrival == absent) break;
    if (task.with_next) {
      const Task& partner = order[at(++cursor)];
      const std::int32_t back = route.leg_of(partner);
      SimTime* const back_ready = ready_of(partner, back);
      if (*back_ready == absent) return cursor - 1;
      const PairRan ran =
          run_pair<overlapped>(state, leg, legs[back],
                               scratch.pairs[route.pair_of(task.chunk, partner.chunk)], arrival, *back_ready);
      ++legs[route.weights_of(partner.chunk)].done;
      ready[1] = ran.forward_handed_on;
      if (legs[back].passes_on) back_ready[1] = ran.backward_handed_on;
      if (trail != nullptr)
        trail->note_pair(stage, trail->place(task.microbatch, index), trail->place(partner.microbatch, back),
                         ran);
      if (placed == nullptr) continue;
      placed->push_back({stage, task, ran.start, ran.end});
      placed->push_back({stage, partner, ran.start, ran.end});
      continue;
    }
    const Ran ran = run_task<overlapped>(state, leg, task.kind, arrival);
    if (leg.passes_on) ready[1] = ran.handed_on;
    count_weights(task, route, legs);
    if (trail != nullptr) trail->note(stage, trail->place(task.microbatch, index), task, ran);
    if (placed != nullptr) placed->push_back({stage, task, ran.start, ran.end});
  }
  return cursor;
}

// Sweeps down (as forwards flow) or up (as backwards flow); the direction changes when a sweep ran less than
// one task per stage.
template <bool overlapped>
void run_all(const PipelineShape& shape, const Csr<Task>& order, PipelineScratch& scratch,
             std::vector<PlacedTask>* placed, Trail* trail) {
  scratch.cursor.assign(at(shape.stages), 0);
  std::int32_t fruitless = 0;
  bool down = true;
  for (std::size_t left = order.value.size(); left > 0;) {
    std::int32_t moved = 0;
    for (std::int32_t i = 0; i < shape.stages; ++i) {
      const std::int32_t stage = down ? i : shape.stages - 1 - i;
      std::int32_t& cursor = scratch.cursor[at(stage)];
      const std::int32_t reached =
          run_stage<overlapped>(shape, stage, order.row(stage), cursor, scratch, placed, trail);
      moved += reached - cursor;
      cursor = reached;
    }
    left -= at(moved);
    fruitless = moved > 0 ? 0 : fruitless + 1;
    ECHO_EXPECT(fruitless < 2);  // the order is free of deadlock
    if (moved < shape.stages) down = !down;
  }
}

// One stage with one chunk: the times add up. Its last task is the last backward, whatever the schedule.
// Pairs include everything but the first forward and the last backward.
void run_alone(std::int32_t microbatches, PipelineScratch& scratch, Trail* trail) {
  const Leg& forward = scratch.legs[0];
  const Leg& backward = scratch.legs[1];
  StageState& stage = scratch.stages[0];
  stage.gather_wait = std::max(SimTime::zero(), forward.not_before - forward.special);
  SimTime both = forward.duration + backward.duration;
  if (!scratch.pairs.empty()) {
    both = scratch.pairs[0].duration;
    scratch.pairs[0].runs = microbatches - 1;
  }
  stage.clock = forward.special + stage.gather_wait + (microbatches - 1) * both + backward.special;
  stage.sent = stage.clock;
  const DataEnd data = add_data(stage, backward.data, stage.clock - backward.special, stage.clock);
  if (trail == nullptr) return;
  const bool gathered = stage.gather_wait > SimTime::zero();
  const auto note = [&](std::int32_t place, bool is_forward, const Cause& cause) {
    trail->notes().note(0, place, is_forward, cause);
    trail->note_special(0, ChunkId(0), place, cause);
  };
  note(trail->place(MicrobatchId(0), 0), true, Cause{.special = true, .gathered = gathered});
  note(trail->place(MicrobatchId(microbatches - 1), 1), false, Cause{.data = data, .special = true});
}

void run_plain(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
               bool overlapped, PipelineScratch& scratch, std::vector<PlacedTask>* placed, Trail* trail) {
  const bool is_listed = schedule.plan == nullptr && shape.given == nullptr;
  if (!is_listed) order_of(schedule, shape, times, scratch.planned);
  const Csr<Task>& order = is_listed ? scratch.orders.of(schedule, shape, false).start : scratch.planned;
  ECHO_EXPECT(order.rows() == shape.stages);
  const std::size_t row = 2 * at(shape.chunks) + 1;
  scratch.ready.assign(row * at(microbatches_per_chunk(shape)), absent);
  if (overlapped) {
    run_all<true>(shape, order, scratch, placed, trail);
  } else {
    run_all<false>(shape, order, scratch, placed, trail);
  }
}

void lay_pairs(const PipelineShape& shape, std::span<const SimTime> pairs, PipelineScratch& scratch) {
  const Route route(shape);
  scratch.pairs.resize(at(shape.chunks * route.laps));
  for (const ChunkId chunk : ids<ChunkId>(shape.chunks)) {
    for (const ChunkId other : ids<ChunkId>(shape.chunks)) {
      if (shape.stage_of_chunk[at(chunk)] != shape.stage_of_chunk[at(other)]) continue;
      const std::size_t pair = route.pair_of(chunk, other);
      const SimTime both = scratch.legs[at(route.leg_of({TaskKind::forward, chunk}))].duration +
                           scratch.legs[at(route.leg_of({TaskKind::backward, other}))].duration;
      scratch.pairs[pair] = {pairs.empty() ? both : pairs[pair]};
    }
  }
}

// The sum of the times of a chunk's tasks, each on its own; `apart`: backwards are split, except the last.
SimTime busy_of(const Route& route, ChunkId chunk, std::int32_t microbatches, std::int32_t apart,
                bool last_is_split, const PipelineScratch& scratch) {
  const Leg& forward = scratch.legs[at(route.leg_of({TaskKind::forward, chunk}))];
  const Leg& backward = scratch.legs[at(route.leg_of({TaskKind::backward, chunk}))];
  const Leg& weight = scratch.legs[at(route.weights_of(chunk))];
  return (microbatches - 1) * forward.duration + forward.special +
         (microbatches - 1 - apart) * backward.duration + apart * (backward.input + weight.duration) +
         (last_is_split ? backward.input + weight.special : backward.special);
}

// Every task ran once, so busy time needs no loop over tasks; time that is neither busy nor waiting was
// spent in transfers.
void read_out(const PipelineShape& shape, const Schedule& schedule, bool overlapped,
              const PipelineScratch& scratch, PipelineTimes& out) {
  const Route route(shape);
  const std::int32_t microbatches = microbatches_per_chunk(shape);
  out.stages.assign(at(shape.stages), StageTimes{});
  out.pairs.assign(scratch.pairs.size(), 0);
  out.apart.assign(at(shape.chunks), 0);
  for (const ChunkId chunk : ids<ChunkId>(shape.chunks)) {
    const Leg& weight = scratch.legs[at(route.weights_of(chunk))];
    const bool last_is_split = schedule.splits_backward || weight.special_ran;
    std::int32_t& apart = out.apart[at(chunk)];
    if (schedule.splits_backward) apart = microbatches - 1;
    if (schedule.mixes_backwards) apart = weight.apart - (last_is_split ? 1 : 0);
    out.stages[at(shape.stage_of_chunk[at(chunk)])].busy +=
        busy_of(route, chunk, microbatches, apart, last_is_split, scratch);
  }
  for (const ChunkId chunk : ids<ChunkId>(scratch.pairs.empty() ? 0 : shape.chunks)) {
    for (const ChunkId other : ids<ChunkId>(shape.chunks)) {
      if (shape.stage_of_chunk[at(chunk)] != shape.stage_of_chunk[at(other)]) continue;
      const std::size_t i = route.pair_of(chunk, other);
      const PairLeg& pair = scratch.pairs[i];
      const SimTime both = scratch.legs[at(route.leg_of({TaskKind::forward, chunk}))].duration +
                           scratch.legs[at(route.leg_of({TaskKind::backward, other}))].duration;
      out.pairs[i] = pair.runs;
      out.stages[at(shape.stage_of_chunk[at(chunk)])].busy += pair.runs * (pair.duration - both);
    }
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

static void expect_whole(const PipelineShape& shape, const Schedule& schedule,
                         std::span<const ChunkTimes> times, const Hops& hops,
                         std::span<const DataLane> data) {
  ECHO_EXPECT(shape.stages > 0 && shape.microbatches > 0 && shape.chunks >= shape.stages);
  ECHO_EXPECT(times.size() == at(shape.chunks) && shape.stage_of_chunk.size() == at(shape.chunks));
  ECHO_EXPECT(hops.forward.empty() || hops.forward.size() == at(shape.chunks - 1));
  ECHO_EXPECT(hops.backward.empty() || hops.backward.size() == at(shape.chunks - 1));
  ECHO_EXPECT(data.empty() || data.size() == at(shape.chunks));
  ECHO_EXPECT(shape.copies == schedule.copies && shape.microbatches % shape.copies == 0);
}

// A single chunk needs no loop over its tasks.
static bool is_alone(const PipelineShape& shape, const Schedule& schedule) {
  return shape.chunks == 1 && !schedule.splits_backward;
}

void compose_pipeline(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
                      const Hops& hops, std::span<const DataLane> data, PipelineScratch& scratch,
                      PipelineTimes& out, std::vector<PlacedTask>* placed, std::span<const SimTime> pairs,
                      Trail* trail) {
  expect_whole(shape, schedule, times, hops, data);
  ECHO_EXPECT(pairs.empty() || pairs.size() == at(shape.chunks * (shape.chunks / shape.stages)));
  if (placed != nullptr) placed->clear();
  if (placed == nullptr && !is_alone(shape, schedule) && has_program(schedule, shape)) {
    const PipelineCase one{times, data, pairs, &out};
    if (run_program(shape, schedule, {&one, 1}, hops, scratch, trail)) return;
  }
  if (trail != nullptr) trail->start(shape);
  lay_legs(shape, schedule, times, hops, data, scratch.legs);
  scratch.pairs.clear();
  if (schedule.pairs == Pairs::always || (schedule.pairs == Pairs::on_demand && shape.pairs))
    lay_pairs(shape, pairs, scratch);
  scratch.stages.assign(at(shape.stages), StageState{});
  if (placed == nullptr && is_alone(shape, schedule)) {
    run_alone(shape.microbatches, scratch, trail);
  } else if (placed != nullptr || !run_repeating(shape, schedule, hops.overlapped, scratch, trail)) {
    run_plain(shape, schedule, times, hops.overlapped, scratch, placed, trail);
  }
  scratch.tasks_run = 0;
  for (const Leg& leg : scratch.legs) scratch.tasks_run += leg.done;
  read_out(shape, schedule, hops.overlapped, scratch, out);
}

void compose_pipelines(const PipelineShape& shape, const Schedule& schedule,
                       std::span<const PipelineCase> cases, const Hops& hops, PipelineScratch& scratch,
                       Trail* trail) {
  if (!is_alone(shape, schedule) && has_program(schedule, shape)) {
    for (const PipelineCase& one : cases) expect_whole(shape, schedule, one.times, hops, one.data);
    if (run_program(shape, schedule, cases, hops, scratch, trail)) return;
  }
  for (const PipelineCase& one : cases)
    compose_pipeline(shape, schedule, one.times, hops, one.data, scratch, *one.out, nullptr, one.pairs,
                     &one == &cases.back() ? trail : nullptr);
}

}  // namespace echo::timeline
