// One stage of a pipeline: exact execution of its next task. The rules of transfers are explained in
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

// Gradient traffic of the last backward of each chunk, on the data lane: its first transfer may begin
// `first_start` after the start of that backward; the transfers take `busy` in total and end `lag` after the
// chunk.
struct DataLane {
  SimTime first_start{}, busy{}, lag{};
  friend bool operator==(const DataLane&, const DataLane&) = default;
};

// A microbatch visits legs 0 .. chunks-1 (forwards) and chunks .. 2*chunks-1 (backwards, last chunk first):
// the output of leg r is the input of leg r+1. With two copies of the model of `route` chunks each, the
// microbatches of a copy visit its own 2*route legs. Legs 2*chunks + c are the weight gradients of chunk c,
// which have no output.
struct Leg {
  SimTime duration{}, special{};  // special: of the last backward of the chunk
  SimTime input{};                // duration of a split backward, for backward legs
  SimTime not_before{};           // earliest end of the special task (first forward: weights still arrive)
  SimTime receive{}, send{};      // blocking transfers before and after
  SimTime flight{};               // overlapped transfer after
  std::int32_t special_at = -1;   // number of tasks of this leg before the special one; -1: none is special
  std::int32_t done = 0;          // for weight gradients, whole backwards count
  std::int32_t apart = 0;         // weight gradients run as separate tasks
  bool reads = false, passes_on = false;  // has a previous leg; has a next leg
  bool special_ran = false;
  DataLane data;  // starts with the special task
};

struct StageState {
  SimTime clock{};                          // end of its last task
  SimTime sent{};                           // end of the blocking transfer after that (>= clock)
  SimTime link_forward{}, link_backward{};  // end of its last overlapped transfer in each direction
  SimTime waited{};       // idle time without input, except transfers (blocking transfers only)
  SimTime gather_wait{};  // extra time of first forwards until their weights arrived
  SimTime data_end{};     // end of its gradient traffic so far
};

// The last thing that a task waited for: its stage's previous work, its input, or the other input of a pair.
// Ties take the first of these, so that an arrival older than the stage's clock is never the cause.
enum class Began : std::uint8_t { own, arrival, partner_arrival };
// Cause of the end of gradient traffic: nothing was sent, the start of its backward, the previous traffic on
// the lane, the end of its backward.
enum class DataEnd : std::uint8_t { none, after_start, after_previous, after_end };
struct Cause {  // two bytes: one is written per task
  Began began : 2 = Began::own;
  DataEnd data : 3 = DataEnd::none;
  bool sent : 1 = false;      // own: including the blocking transfer after the previous task
  bool received : 1 = false;  // blocking transfers between that and the start
  bool partner_received : 1 = false;
  bool special : 1 = false;   // the task was its leg's special one
  bool split : 1 = false;     // a backward without its weight gradients
  bool gathered : 1 = false;  // its end waited for weights
  bool flies : 1 = false;     // an overlapped transfer followed it ...
  bool queued : 1 = false;    // ... which waited for the previous transfer
};

struct Ran {
  SimTime start, end, handed_on;  // handed_on: when the next leg's stage may take it
  Cause cause{};
};
struct PairRan {
  SimTime start, end, forward_handed_on, backward_handed_on;
  Cause forward{}, backward{};  // backward: its transfer, and whether the forward's output was sent before
};

// A forward and a backward that run as one, by chunks; runs: their number so far.
struct PairLeg {
  SimTime duration{};
  std::int32_t runs = 0;
};

// The legs of a pipeline: all chunks, and the number of them that a microbatch visits.
struct Route {
  explicit constexpr Route(const PipelineShape& shape)
      : chunks(shape.chunks),
        route(shape.chunks / shape.copies),
        laps(shape.chunks / shape.stages),
        stages(shape.stages) {}
  std::int32_t chunks, route, laps, stages;

  [[nodiscard]] constexpr std::int32_t leg_of(const Task& task) const {
    const std::int32_t chunk = task.chunk.index();
    const std::int32_t copy = chunk < route ? 0 : route;  // its first chunk; two copies at most
    switch (task.kind) {
      case TaskKind::forward:
        return chunk + copy;
      case TaskKind::backward:
      case TaskKind::backward_input:
        return 3 * copy + 2 * route - 1 - chunk;
      case TaskKind::backward_weight:
        break;
    }
    return weights_of(task.chunk);
  }
  [[nodiscard]] constexpr std::int32_t weights_of(ChunkId chunk) const { return 2 * chunks + chunk.index(); }
  [[nodiscard]] constexpr ChunkId chunk_of(std::int32_t leg) const {
    if (leg >= 2 * chunks) return ChunkId(leg - 2 * chunks);
    const std::int32_t copy = leg < 2 * route ? 0 : route, step = leg - 2 * copy;
    return ChunkId(copy + (step < route ? step : 2 * route - 1 - step));
  }
  // Chunks are placed round by round, so that a chunk is the (chunk / stages)-th of its stage.
  [[nodiscard]] std::size_t pair_of(ChunkId forward, ChunkId backward) const {
    return static_cast<std::size_t>(forward.index() * laps + backward.index() / stages);
  }
};

// For a single copy of the model.
constexpr std::int32_t chunk_of(std::int32_t leg, std::int32_t chunks) {
  return leg < chunks ? leg : leg < 2 * chunks ? 2 * chunks - 1 - leg : leg - 2 * chunks;
}

// A whole backward also counts as a weight gradient.
inline void count_weights(const Task& task, const Route& route, Leg* legs) {
  if (task.kind == TaskKind::backward) ++legs[route.weights_of(task.chunk)].done;
  if (task.kind == TaskKind::backward_weight) ++legs[route.weights_of(task.chunk)].apart;
}

// Fills the [3 * chunks] legs, with no task done.
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

// An overlapped transfer of an output that is ready at `end`.
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

// Blocking: inputs are received one after the other, first come, first served; outputs are sent one after the
// other, the forward's first.
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
