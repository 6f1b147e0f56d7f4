// Replay of recorded ops: several GPU ranks at once, in-order lanes or none, hosts that issue, communication
// between ranks, and slowdown while ops overlap. Explained in replay.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/lane.hpp"
#include "base/units.hpp"
#include "timeline/block/block.hpp"

namespace echo::timeline {

// wait: the host issues nothing until its needs have ended. memory: occupies the GPU without slowing other
// ops.
enum class ReplayKind : std::int8_t { kernel, communication, memory, wait };

// Ops of rank r are [rank_begin[r], rank_begin[r + 1]), in the order its host issues them.
struct ReplayGraph {
  std::vector<std::int32_t> rank_begin{0};
  std::vector<ReplayKind> kind;    // [ops]
  std::vector<std::int32_t> lane;  // [ops] ops of one lane run in order; -1: one op of its kind at a time
  std::vector<TimeCategory> part;  // [ops]
  std::vector<SimTime> gap;        // [ops] host time since the issue of the previous op
  std::vector<std::int32_t>
      meeting;  // [ops] ops of different ranks with the same number run as one; -1: none
  std::vector<std::int32_t>
      launch;               // [ops] ops of one rank that begin together once all are ready; -1: alone
  Csr<std::int32_t> needs;  // [ops] earlier ops of the same rank

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(rank_begin.size()) - 1; }
  [[nodiscard]] std::int32_t ops() const { return rank_begin.back(); }
};

// Data derived from the graph only. A unit is a set of ops that run as one: a meeting's ops, or one op.
struct ReplayPlan {
  std::vector<std::int32_t> unit;  // [ops]
  Csr<std::int32_t> members;       // [units] their ops; numbered by position in the issue order, then rank
  Csr<std::int32_t> causes;        // [ops] ops that must end before: needs, lane order, those of its launch
  Csr<std::int32_t> released;      // [ops] the reverse relation
  std::vector<std::int32_t> rank;  // [ops]
};
void plan_replay(const ReplayGraph&, ReplayPlan& out);

// Time of each op alone, and what it is in FactorTable; none: it is not slowed.
struct ReplayWork {
  std::span<const SimTime> alone;  // [ops] for a meeting the longest counts; ignored for a wait
  std::span<const WorkId> work;    // [ops]
  bool newest_first = false;       // of communication without a lane that waits: what became ready last goes
                                   // first, of what did so together the first in the order of issue
};

struct RankReplay {
  SimTime end{};                                       // of its last op
  SimTime compute_busy{};                              // sum of kernel durations as stretched
  SimTime slowdown_penalty{};                          // part of that beyond the alone times
  std::array<SimTime, time_category_count> exposed{};  // splits the makespan exactly
  friend bool operator==(const RankReplay&, const RankReplay&) = default;
};

// The cause that made an op ready on its rank: an op that ended, its issue by the host, or nothing.
inline constexpr std::int32_t begun_at_once = -1, begun_by_host = -2;

struct ReplayScratch {
  std::vector<SimTime> start, end;     // [ops]; for a wait: when the host reached it, and continued
  std::vector<SimTime> reached;        // [ops] when its own rank was ready for it
  std::vector<SimTime> issue;          // [ops]
  std::vector<std::int32_t> begun_by;  // [ops] cause of `reached`, see above; for a wait the op after which
  // it continued
  std::vector<std::int32_t> held_by;      // [ops] the op that had its resource until it began; -1: none
  std::vector<std::int32_t> held_before;  // [ops] the last wait before it that delayed its host; -1: none
  std::vector<RankReplay> ranks;
  SimTime makespan{};
  std::vector<std::int32_t> stuck;  // one op per rank that can never begin; empty: all have ended

  struct Unit {
    std::int64_t left = 0;  // while running: remaining ps of undisturbed time
    SimTime since{}, end{};
    double factor = 1.0;
    std::int32_t missing = 0;   // members that are not ready
    SimTime ready{};            // when the last of them was
    std::int32_t in_heap = -1;  // of `heap`
  };
  struct Timer {
    SimTime time{};
    std::int32_t op = 0;
    friend auto operator<=>(const Timer&, const Timer&) = default;
  };
  struct Host {
    std::int32_t next = 0;   // op to issue
    std::int32_t held = -1;  // as held_before
    SimTime clock{};
  };
  std::vector<Unit> units;
  std::vector<std::int32_t> pending;  // [ops] number of causes that have not ended, plus its issue
  std::vector<std::int32_t> heap;     // running units by end
  std::vector<Timer> timers;          // a heap: ready ops that are not yet issued
  std::vector<Host> hosts;            // [ranks]
  std::vector<std::vector<std::int32_t>> running;  // [ranks] ops, by lane
  std::vector<std::vector<std::int32_t>> queues;   // [ranks][kinds] ready units without lanes, ascending
  std::vector<std::int32_t> holder;                // [ranks][kinds] op that holds the resource, -1: none
  std::vector<std::int32_t> freed_by;              // [ranks][kinds] op that held it last
  std::vector<std::int32_t> begun, ended, touched, freed, order;
  std::vector<std::uint8_t> is_touched;  // [ranks]
  std::vector<double> member_factor;     // [ops]
};

// False if some ops can never begin: scratch.stuck has them. Integer picoseconds, the same result on every
// compiler. Contract: needs refer to earlier ops of the rank, at most one op of a rank is in a meeting,
// alone >= 0, the plan is that of the graph.
[[nodiscard]] bool replay(const ReplayGraph&, const ReplayPlan&, const ReplayWork&, const FactorTable&,
                          ReplayScratch& scratch);

// The critical path of the makespan, last step first. Its lengths sum to the makespan exactly.
struct PathStep {
  std::int32_t op = -1;  // -1: the host of `rank` issues
  std::int32_t rank = 0;
  SimTime length{};
};
void replay_path(const ReplayGraph&, const ReplayPlan&, const ReplayScratch& ran, std::vector<PathStep>& out);

}  // namespace echo::timeline
