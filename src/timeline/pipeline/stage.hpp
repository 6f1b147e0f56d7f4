// One stage of a pipeline: what it does with its next task, to the picosecond. The essay on transfers is in
// stage.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "timeline/schedule.hpp"

namespace echo::timeline {

struct Hops;

// Gradient traffic of the last backward of each chunk, on the data lane: from the start of that backward its
// first transfer may begin `first_start` later; the transfers take `busy` in all and outlast the chunk by
// `lag`.
struct DataLane {
  SimTime first_start{}, busy{}, lag{};
};

// A microbatch visits legs 0 .. chunks-1 (forwards) and chunks .. 2*chunks-1 (backwards, last chunk first):
// the output of leg r is the input of leg r+1. Where there are two copies of the model, each of `route`
// chunks, its microbatches visit 2*route legs of their own. Legs 2*chunks + c are the weight gradients of
// chunk c, which pass nothing on.
struct Leg {
  SimTime duration{}, special{};  // special: of the last backward of the chunk
  SimTime input{};                // a split backward, of a leg that backwards go through
  SimTime not_before{};           // the special task ends no earlier (first forward: weights still arrive)
  SimTime receive{}, send{};      // blocking transfers before and after
  SimTime flight{};               // overlapped transfer after
  std::int32_t special_at = -1;   // how many tasks of this leg run before the special one; -1: none is
  std::int32_t done = 0;          // of weight gradients: whole backwards count
  std::int32_t apart = 0;         // weight gradients run as tasks of their own
  bool reads = false, passes_on = false;  // has a leg before it, after it
  bool special_ran = false;
  DataLane data;  // starts with the special task
};

struct StageState {
  SimTime clock{};                          // its last task ended
  SimTime sent{};                           // the blocking transfer after that ended (>= clock)
  SimTime link_forward{}, link_backward{};  // its last overlapped transfer each way ended
  SimTime waited{};       // idle for want of input, transfers aside (blocking transfers only)
  SimTime gather_wait{};  // first forwards stretched until their weights had arrived
  SimTime data_end{};     // its gradient traffic so far ended
};

// What a task waited for last: its stage's past, its input, or the other input of a pair. Of equal causes the
// first here, so that an arrival older than the stage's clock is never one.
enum class Began : std::int8_t { own, arrival, partner_arrival };
// What the end of gradient traffic hangs on: nothing was sent, the start of its backward, the traffic before
// it on the lane, the end of its backward.
enum class DataEnd : std::int8_t { none, after_start, after_previous, after_end };
struct Cause {
  Began began = Began::own;
  bool sent = false;                                // own: the blocking transfer after the task before, too
  bool received = false, partner_received = false;  // blocking transfers between that and the start
  DataEnd data = DataEnd::none;
  bool special = false;   // the task was its leg's special one
  bool split = false;     // a backward without its weight gradients
  bool gathered = false;  // its end waited for weights
  bool flies = false;     // it was followed by an overlapped transfer ...
  bool queued = false;    // ... that waited for the one before it
};

struct Ran {
  SimTime start, end, handed_on;  // handed_on: when the next leg's stage may take it
  Cause cause{};
};
struct PairRan {
  SimTime start, end, forward_handed_on, backward_handed_on;
  Cause forward{}, backward{};  // backward: how it flew, and whether the forward's output was sent before
};

// A forward and a backward that run as one, by chunks; runs: how often so far.
struct PairLeg {
  SimTime duration{};
  std::int32_t runs = 0;
};

// The legs of a pipeline: all chunks, and how many of them a microbatch visits.
struct Route {
  explicit constexpr Route(const PipelineShape& shape)
      : chunks(shape.chunks),
        route(shape.chunks / shape.copies),
        laps(shape.chunks / shape.stages),
        stages(shape.stages) {}
  std::int32_t chunks, route, laps, stages;

  [[nodiscard]] constexpr std::int32_t leg_of(const Task& task) const {
    const std::int32_t copy = task.chunk < route ? 0 : route;  // its first chunk; two copies at most
    switch (task.kind) {
      case TaskKind::forward:
        return task.chunk + copy;
      case TaskKind::backward:
      case TaskKind::backward_input:
        return 3 * copy + 2 * route - 1 - task.chunk;
      case TaskKind::backward_weight:
        break;
    }
    return 2 * chunks + task.chunk;
  }
  [[nodiscard]] constexpr std::int32_t chunk_of(std::int32_t leg) const {
    if (leg >= 2 * chunks) return leg - 2 * chunks;
    const std::int32_t copy = leg < 2 * route ? 0 : route, step = leg - 2 * copy;
    return copy + (step < route ? step : 2 * route - 1 - step);
  }
  // Chunks lie on stages lap by lap, so that a chunk is the (chunk / stages)-th of its stage.
  [[nodiscard]] std::size_t pair_of(std::int32_t forward_chunk, std::int32_t backward_chunk) const {
    return static_cast<std::size_t>(forward_chunk * laps + backward_chunk / stages);
  }
};

// Of a single copy of the model.
constexpr std::int32_t chunk_of(std::int32_t leg, std::int32_t chunks) {
  return leg < chunks ? leg : leg < 2 * chunks ? 2 * chunks - 1 - leg : leg - 2 * chunks;
}

// A whole backward is a weight gradient too.
inline void count_weights(const Task& task, const Route& route, Leg* legs) {
  if (task.kind == TaskKind::backward) ++legs[2 * route.chunks + task.chunk].done;
  if (task.kind == TaskKind::backward_weight) ++legs[2 * route.chunks + task.chunk].apart;
}

// Fills the [3 * chunks] legs, none done yet.
void lay_legs(const PipelineShape&, const Schedule&, std::span<const ChunkTimes>, const Hops&,
              std::span<const DataLane>, std::vector<Leg>& out);

// Gradient traffic of a chunk whose last backward ran from start to end.
inline DataEnd add_data(StageState& stage, const DataLane& data, SimTime start, SimTime end) {
  if (data.busy == SimTime::zero()) return DataEnd::none;
  const SimTime free = stage.data_end, first = start + data.first_start;
  const SimTime queued = std::max(first, free) + data.busy;
  stage.data_end = std::max(queued, end + data.lag);
  if (stage.data_end > queued) return DataEnd::after_end;
  return free > first ? DataEnd::after_previous : DataEnd::after_start;
}

// An overlapped transfer of what is there at `end`.
inline SimTime fly(SimTime& link, const Leg& leg, SimTime end, Cause& cause) {
  if (leg.flight <= SimTime::zero()) return end;
  cause.flies = true;
  cause.queued = link > end;
  return link = std::max(end, link) + leg.flight;
}

template <bool overlapped>
inline Ran run_task(StageState& stage, Leg& leg, TaskKind kind, SimTime arrival) {
  Ran ran;
  if constexpr (overlapped) {
    ran.start = std::max(stage.clock, arrival);
    if (arrival > stage.clock) ran.cause.began = Began::arrival;
  } else {
    const SimTime meet = std::max(stage.clock, arrival);
    ran.start = std::max(stage.sent, meet + leg.receive);
    stage.waited += std::max(meet, stage.sent) - stage.sent;
    ran.cause.received = ran.start > stage.sent;
    ran.cause.sent = !ran.cause.received && stage.sent > stage.clock;
    if (ran.cause.received && arrival > stage.clock) ran.cause.began = Began::arrival;
  }
  const bool split = kind == TaskKind::backward_input;
  const bool special = leg.done++ == leg.special_at && !split;
  ran.cause.special = special, ran.cause.split = split && !special;
  const SimTime duration = special ? leg.special : split ? leg.input : leg.duration;
  ran.end = ran.start + duration;
  if (special && leg.not_before > ran.end) {
    stage.gather_wait += leg.not_before - ran.end;
    ran.end = leg.not_before;
    ran.cause.gathered = true;
  }
  stage.clock = ran.end;
  if constexpr (overlapped) {
    ran.handed_on =
        fly(kind == TaskKind::forward ? stage.link_forward : stage.link_backward, leg, ran.end, ran.cause);
  } else {
    stage.sent = ran.end + leg.send;
    ran.handed_on = ran.end;
  }
  if (special) leg.special_ran = true, ran.cause.data = add_data(stage, leg.data, ran.start, ran.end);
  return ran;
}

// Blocking: the inputs come one after the other, first come, first served, and so do the outputs leave, the
// forward's first.
template <bool overlapped>
inline PairRan run_pair(StageState& stage, Leg& forward, Leg& backward, PairLeg& pair,
                        SimTime forward_arrival, SimTime backward_arrival) {
  ECHO_EXPECT(forward.done != forward.special_at && backward.done != backward.special_at);
  ++forward.done, ++backward.done, ++pair.runs;
  PairRan ran;
  if constexpr (overlapped) {
    ran.start = std::max({stage.clock, forward_arrival, backward_arrival});
    if (ran.start > stage.clock)
      ran.forward.began = ran.start == forward_arrival ? Began::arrival : Began::partner_arrival;
    stage.clock = ran.end = ran.start + pair.duration;
    ran.forward_handed_on = fly(stage.link_forward, forward, ran.end, ran.forward);
    ran.backward_handed_on = fly(stage.link_backward, backward, ran.end, ran.backward);
  } else {
    const bool forward_first = forward_arrival <= backward_arrival;
    const SimTime first = std::min(forward_arrival, backward_arrival),
                  second = std::max(forward_arrival, backward_arrival);
    const SimTime meet = std::max(stage.clock, first);
    const SimTime between = meet + (forward_first ? forward : backward).receive;
    const SimTime again = std::max(between, second);
    ran.start = std::max(stage.sent, again + (forward_first ? backward : forward).receive);
    stage.waited += std::max(meet, stage.sent) - stage.sent;
    stage.waited += std::max(again, stage.sent) - std::max(between, stage.sent);
    const bool received = ran.start > stage.sent, only_second = received && second > between;
    ran.forward.sent = !received && stage.sent > stage.clock;
    ran.forward.received = received && !(only_second && forward_first);
    ran.forward.partner_received = received && !(only_second && !forward_first);
    if (only_second || (received && first > stage.clock))
      ran.forward.began = forward_first != only_second ? Began::arrival : Began::partner_arrival;
    stage.clock = ran.end = ran.start + pair.duration;
    stage.sent = ran.end + forward.send + backward.send;
    ran.forward_handed_on = ran.end;
    ran.backward_handed_on = ran.end + forward.send;
    ran.backward.sent = forward.send > SimTime::zero();
  }
  return ran;
}

}  // namespace echo::timeline
