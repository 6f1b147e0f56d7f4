// One stage of a pipeline: what it does with its next task, to the picosecond. The essay on transfers is in
// stage.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

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
// the output of leg r is the input of leg r+1. Legs 2*chunks + c are the weight gradients of chunk c, which
// pass nothing on.
struct Leg {
  SimTime duration{}, special{};  // special: of the last backward of the chunk
  SimTime not_before{};           // the special task ends no earlier (first forward: weights still arrive)
  SimTime receive{}, send{};      // blocking transfers before and after
  SimTime flight{};               // overlapped transfer after
  std::int32_t special_at = -1;   // how many tasks of this leg run before the special one; -1: none is
  std::int32_t done = 0;
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

struct Ran {
  SimTime start, end, handed_on;  // handed_on: when the next leg's stage may take it
};

constexpr std::int32_t leg_of(const Task& task, std::int32_t chunks) {
  switch (task.kind) {
    case TaskKind::forward:
      return task.chunk;
    case TaskKind::backward:
    case TaskKind::backward_input:
      return 2 * chunks - 1 - task.chunk;
    case TaskKind::backward_weight:
      break;
  }
  return 2 * chunks + task.chunk;
}

constexpr std::int32_t chunk_of(std::int32_t leg, std::int32_t chunks) {
  return leg < chunks ? leg : leg < 2 * chunks ? 2 * chunks - 1 - leg : leg - 2 * chunks;
}

// Fills the [3 * chunks] legs, none done yet.
void lay_legs(const PipelineShape&, const Schedule&, std::span<const ChunkTimes>, const Hops&,
              std::span<const DataLane>, std::vector<Leg>& out);

// Gradient traffic of a chunk whose last backward ran from start to end.
inline void add_data(StageState& stage, const DataLane& data, SimTime start, SimTime end) {
  if (data.busy == SimTime::zero()) return;
  const SimTime queued = std::max(start + data.first_start, stage.data_end) + data.busy;
  stage.data_end = std::max(queued, end + data.lag);
}

template <bool overlapped>
inline Ran run_task(StageState& stage, Leg& leg, bool is_forward, SimTime arrival) {
  Ran ran;
  if constexpr (overlapped) {
    ran.start = std::max(stage.clock, arrival);
  } else {
    const SimTime meet = std::max(stage.clock, arrival);
    ran.start = std::max(stage.sent, meet + leg.receive);
    stage.waited += std::max(meet, stage.sent) - stage.sent;
  }
  const bool special = leg.done++ == leg.special_at;
  const SimTime duration = special ? leg.special : leg.duration;
  ran.end = ran.start + duration;
  if (special && leg.not_before > ran.end) {
    stage.gather_wait += leg.not_before - ran.end;
    ran.end = leg.not_before;
  }
  stage.clock = ran.end;
  if constexpr (overlapped) {
    SimTime& link = is_forward ? stage.link_forward : stage.link_backward;
    ran.handed_on = ran.end;
    if (leg.flight > SimTime::zero()) ran.handed_on = link = std::max(ran.end, link) + leg.flight;
  } else {
    stage.sent = ran.end + leg.send;
    ran.handed_on = ran.end;
  }
  if (special) add_data(stage, leg.data, ran.start, ran.end);
  return ran;
}

}  // namespace echo::timeline
