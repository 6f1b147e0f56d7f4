// One block of ops on one GPU.
//
// Problem. A GPU runs one compute stream and a few communication streams. Each runs its ops in launch order;
// an op also waits for the ops it needs. While a kernel and a collective run side by side both slow down.
//
// Idea. Between two op ends nothing changes, so time advances from end to end. No event queue: at most one op
// per lane runs, so the next end is a minimum over five numbers.
//
// Formula. Kernel k beside collectives C runs at rate 1 / max over c in C of kernel_factor[k][c]; each
// collective at rate 1 / collective_factor[k][c]. Every op keeps its remaining work `left` in picoseconds of
// undisturbed time. Its end, if nothing changed, is round(left * factor) ahead. The step dt is the least of
// these; every running op then loses round(dt / factor) of its work, and ends now if it was the one to end or
// has nothing left. Each step ends at least one op, so there are at most as many steps as ops. Only two IEEE
// operations and llround touch doubles, hence the same picosecond from every compiler; a factor of exactly 1
// never leaves the integers, so without overlap (or without slowdown) the result is the plain recurrence end
// = max(end of the needs, end of the lane) + alone. An op lasts at least its alone time: round(dt / factor)
// <= dt for factor >= 1, so the stretch is never negative.
//
// The block ends with its compute lane. Communication that no kernel waits for runs on past it (`lag`).
// Compute waiting is charged to the latest-ending needed op, the first of them in the row on a tie.
//
// Neglected: collectives do not slow each other, several collectives beside a kernel cost it no more than the
// worst of them, and every op starts the moment it may (launch cost is part of the alone times).
#include "timeline/block.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::timeline {
namespace {

constexpr std::size_t compute = static_cast<std::size_t>(Lane::compute);
constexpr std::size_t lanes = static_cast<std::size_t>(lane_count);

constexpr std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

struct LaneState {
  std::int32_t op = -1;         // head: running, or waiting to start; -1 when the lane is done
  std::int32_t waits_for = -1;  // an op that must end first, while the head waits
  bool runs = false;
  std::int64_t left = 0;   // remaining work of the running op, ps of undisturbed time
  std::int64_t ahead = 0;  // ps until it ends at its present rate
  double factor = 1.0;
  SimTime end{};  // of the op before the head
};

class Composer {
 public:
  Composer(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
           BlockScratchData& scratch)
      : graph_(graph), alone_(alone), factors_(factors), scratch_(scratch) {
    const std::size_t ops = graph.lane.size();
    ECHO_EXPECT(graph.needs != nullptr && at(graph.needs->rows()) == ops);
    ECHO_EXPECT(graph.part.size() == ops && graph.work.size() == ops);
    scratch.start.resize(ops);
    scratch.end.assign(ops, not_ended);
    scratch.next.resize(ops);
    for (std::size_t i = ops; i-- > 0;) {
      std::int32_t& head = lane_[static_cast<std::size_t>(graph.lane[i])].op;
      scratch.next[i] = head;
      head = static_cast<std::int32_t>(i);
    }
  }

  BlockTimes run() {
    for (std::size_t l = 0; l < lanes; ++l) waiting_ += lane_[l].op >= 0 ? 1 : 0;
    for (std::size_t l = 0; l < lanes; ++l) try_start(l, -1);
    while (running_ > 0) step();
    ECHO_EXPECT(waiting_ == 0);  // needs point backwards only
    out_.makespan = lane_[compute].end;
    out_.compute_busy = out_.busy[compute];
    for (std::size_t l = 0; l < lanes; ++l) {
      out_.lag[l] = std::max(SimTime::zero(), lane_[l].end - out_.makespan);
    }
    return out_;
  }

 private:
  static constexpr SimTime not_ended{-1};

  // Starts the head of lane l if the op it was seen waiting for is the one that `ended` and no other is
  // missing.
  void try_start(std::size_t l, std::int32_t ended) {
    LaneState& lane = lane_[l];
    if (lane.runs || lane.op < 0 || lane.waits_for != ended) return;
    const auto needs = graph_.needs->row(lane.op);
    for (const std::int32_t need : needs) {
      if (scratch_.end[at(need)] == not_ended) {
        lane.waits_for = need;
        return;
      }
    }
    if (l == compute && now_ > lane.end) charge_wait(needs, now_ - lane.end);
    if (!seen_[l]) out_.first_start[l] = now_, seen_[l] = true;
    scratch_.start[at(lane.op)] = now_;
    lane.left = alone_[at(graph_.work[at(lane.op)])].count();
    lane.runs = true;
    ++running_, --waiting_;
  }

  void charge_wait(std::span<const std::int32_t> needs, SimTime wait) {
    const auto last = std::max_element(needs.begin(), needs.end(), [this](std::int32_t a, std::int32_t b) {
      return scratch_.end[at(a)] < scratch_.end[at(b)];
    });
    ECHO_EXPECT(last != needs.end());
    out_.exposed[static_cast<std::size_t>(graph_.part[at(*last)])] += wait;
  }

  void set_factors() {
    for (LaneState& lane : lane_) lane.factor = 1.0;
    if (factors_.kernel_factor.empty() || !lane_[compute].runs || running_ == 1) return;
    const std::int32_t kernel = graph_.work[at(lane_[compute].op)];
    ECHO_EXPECT(kernel < factors_.kernels);
    for (std::size_t l = compute + 1; l < lanes; ++l) {
      if (!lane_[l].runs) continue;
      const std::int32_t collective = graph_.work[at(lane_[l].op)] - factors_.kernels;
      ECHO_EXPECT(collective >= 0 && collective < factors_.collectives);
      const std::size_t pair = at(kernel) * at(factors_.collectives) + at(collective);
      lane_[compute].factor = std::max(lane_[compute].factor, factors_.kernel_factor[pair]);
      lane_[l].factor = factors_.collective_factor[pair];
    }
  }

  // Advances to the next op end, ends what ends there and starts what that releases.
  void step() {
    set_factors();
    std::int64_t dt = INT64_MAX;
    for (LaneState& lane : lane_) {
      if (!lane.runs) continue;
      lane.ahead =
          lane.factor == 1.0 ? lane.left : std::llround(static_cast<double>(lane.left) * lane.factor);
      dt = std::min(dt, lane.ahead);
    }
    now_ += SimTime(dt);
    std::array<std::int32_t, lanes> ended;
    std::size_t count = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
      LaneState& lane = lane_[l];
      if (!lane.runs) continue;
      lane.left -= lane.factor == 1.0 ? dt : std::llround(static_cast<double>(dt) / lane.factor);
      if (lane.ahead == dt || lane.left <= 0) ended[count++] = finish(l);
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      try_start(l, -1);
      for (std::size_t i = 0; i < count; ++i) try_start(l, ended[i]);
    }
  }

  std::int32_t finish(std::size_t l) {
    LaneState& lane = lane_[l];
    const std::int32_t op = lane.op;
    const SimTime duration = now_ - scratch_.start[at(op)];
    out_.busy[l] += duration;
    if (l == compute) {
      const SimTime undisturbed = alone_[at(graph_.work[at(op)])];
      out_.exposed[static_cast<std::size_t>(graph_.part[at(op)])] += undisturbed;
      out_.exposed[static_cast<std::size_t>(Part::slowdown)] += duration - undisturbed;
      out_.slowdown_penalty += duration - undisturbed;
    }
    scratch_.end[at(op)] = lane.end = now_;
    lane.op = scratch_.next[at(op)];
    lane.waits_for = -1;
    lane.runs = false;
    --running_;
    waiting_ += lane.op >= 0 ? 1 : 0;
    return op;
  }

  const OpGraphView& graph_;
  std::span<const SimTime> alone_;
  const FactorTable& factors_;
  BlockScratchData& scratch_;
  std::array<LaneState, lanes> lane_{};
  std::array<bool, lanes> seen_{};
  std::int32_t running_ = 0, waiting_ = 0;
  SimTime now_{};
  BlockTimes out_{};
};

}  // namespace

BlockTimes compose_block(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                         BlockScratchData& scratch) {
  return Composer(graph, alone, factors, scratch).run();
}

}  // namespace echo::timeline
