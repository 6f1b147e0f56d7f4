// Recorded ops of several gpu ranks, run again.
//
// Problem. A trace records the ops of each traced rank, the order in which its host issued them, their
// streams, and their dependencies. With durations other than the recorded ones the same ops end at other
// times, and ranks that communicate wait for each other.
//
// Idea. An op may begin when all its causes have ended (its needs; the op before it on its lane; for several
// sends and receives launched as one, the causes of all of them) and its host has issued it: issue(i) =
// issue(i - 1) + gap(i), but after a wait no earlier than the end of the ops that it waits for. Ops of
// several ranks that meet begin when the last of them may and end together. Between two beginnings or ends
// nothing changes, so time goes from event to event over a heap of running ops.
//
// Ops without a lane begin as soon as they may, one kernel, one communication and one memory op of a rank at
// a time, and of several the first in the order of issue: ASTRA-sim's hardware resources
// (astra-sim/workload/HardwareResource.cc; Workload.cc visits the free nodes by number), or, where queues
// serve the newest first, of communication the one that became ready last (its scheduling policy LIFO). A
// meeting takes the resource of all its ranks at once or of none, so that two ranks never hold what the other
// one needs.
//
// Rates are those of block.cpp, rank by rank: kernels beside communication, and communication beside
// communication. Several kernels at once do not slow each other; a collective beside several takes the worst
// factor. An op that ranks share runs at the pace of its slowest rank. An op's remaining work is updated
// whenever an op begins or ends on one of its ranks, which is when block.cpp does it: one rank in order
// gives the same result to the picosecond.
//
// Neglected: kernels on two lanes share the GPU at no cost (traced durations contain it); the queue between
// host and GPU is unlimited.
#include "timeline/replay/replay.hpp"

#include <algorithm>
#include <functional>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/replay/replay_heap.hpp"
#include "timeline/replay/replay_split.hpp"

namespace echo::timeline {

namespace {

constexpr SimTime not_yet{-1};
constexpr std::int32_t kinds = 3;  // that hold a resource: all but wait

std::int64_t round_nearest(double x) {  // half away from zero for 0 <= x < 2^52, as in block.cpp
  const auto n = static_cast<std::int64_t>(x);
  return n + (x - static_cast<double>(n) >= 0.5 ? 1 : 0);
}

class Replayer {
 public:
  Replayer(const ReplayGraph& graph, const ReplayPlan& plan, const ReplayWork& work,
           const FactorTable& factors, ReplayScratch& scratch)
      : graph_(graph),
        plan_(plan),
        work_(work),
        factors_(factors),
        s_(scratch),
        heap_(scratch.heap, scratch.units),
        slows_(!factors.kernel_factor.empty() || !factors.scale_up_loss.empty()) {}

  bool run() {
    reset();
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) advance_host(rank);
    settle_instant();
    while (!heap_.is_empty() || !s_.timers.empty()) {
      now_ = SimTime::max();
      if (!heap_.is_empty()) now_ = heap_.first_end();
      if (!s_.timers.empty()) now_ = std::min(now_, s_.timers.front().time);
      end_due();
      fire_timers();
      for (const std::int32_t op : s_.ended) release_after(op);
      settle_instant();
    }
    find_stuck();
    if (!s_.stuck.empty()) return false;
    split_replay(graph_, plan_, work_, s_);
    return true;
  }

 private:
  void reset() {
    const std::size_t ops = at(graph_.ops()), ranks = at(graph_.ranks());
    s_.start.assign(ops, not_yet), s_.end.assign(ops, not_yet);
    s_.reached.assign(ops, SimTime::zero()), s_.issue.assign(ops, not_yet);
    s_.begun_by.assign(ops, begun_at_once), s_.held_by.assign(ops, -1), s_.held_before.assign(ops, -1);
    s_.pending.resize(ops);
    s_.member_factor.assign(ops, 1.0);
    s_.units.resize(at(plan_.members.rows()));
    for (std::int32_t unit = 0; unit < plan_.members.rows(); ++unit)
      s_.units[at(unit)] = {.missing = static_cast<std::int32_t>(plan_.members.row(unit).size())};
    for (std::int32_t op = 0; op < graph_.ops(); ++op)
      s_.pending[at(op)] = static_cast<std::int32_t>(plan_.causes.row(op).size()) + (is_wait(op) ? 0 : 1);
    s_.hosts.resize(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) s_.hosts[rank] = {graph_.rank_begin[rank], -1, {}};
    s_.running.resize(ranks), s_.queues.resize(ranks * kinds);
    for (auto& list : s_.running) list.clear();
    for (auto& list : s_.queues) list.clear();
    s_.holder.assign(ranks * kinds, -1), s_.freed_by.assign(ranks * kinds, -1);
    s_.is_touched.assign(ranks, 0);
    s_.heap.clear(), s_.timers.clear(), s_.ended.clear(), s_.touched.clear(), s_.freed.clear();
    s_.makespan = SimTime::zero();
  }

  [[nodiscard]] bool is_wait(std::int32_t op) const { return graph_.kind[at(op)] == ReplayKind::wait; }
  [[nodiscard]] std::size_t resource(std::int32_t op) const {
    return at(plan_.rank[at(op)] * kinds) + static_cast<std::size_t>(graph_.kind[at(op)]);
  }
  [[nodiscard]] ReplayScratch::Unit& unit_of(std::int32_t op) { return s_.units[at(plan_.unit[at(op)])]; }

  // Issues ops up to a wait whose needs have not ended.
  void advance_host(std::int32_t rank) {
    ReplayScratch::Host& host = s_.hosts[at(rank)];
    for (; host.next < graph_.rank_begin[at(rank) + 1]; ++host.next) {
      const std::int32_t op = host.next;
      const SimTime reach = host.clock + graph_.gap[at(op)];
      s_.issue[at(op)] = reach;
      s_.held_before[at(op)] = host.held;
      if (is_wait(op)) {
        s_.start[at(op)] = reach;
        if (s_.pending[at(op)] > 0) return;
        const bool held = s_.reached[at(op)] > reach;
        s_.end[at(op)] = held ? s_.reached[at(op)] : reach;
        if (held) host.held = op;
        if (!held) s_.begun_by[at(op)] = begun_by_host;
        s_.makespan = std::max(s_.makespan, s_.end[at(op)]);
        host.clock = s_.end[at(op)];
      } else {
        host.clock = reach;
        release(op, reach > SimTime::zero() ? begun_by_host : begun_at_once);
      }
    }
  }

  void release(std::int32_t op, std::int32_t cause) {
    if (--s_.pending[at(op)] > 0) return;
    s_.begun_by[at(op)] = cause;
    if (is_wait(op)) {
      s_.reached[at(op)] = now_;
      if (s_.hosts[at(plan_.rank[at(op)])].next == op) advance_host(plan_.rank[at(op)]);
    } else if (s_.issue[at(op)] > now_) {
      s_.begun_by[at(op)] = begun_by_host;
      s_.timers.push_back({s_.issue[at(op)], op});
      std::push_heap(s_.timers.begin(), s_.timers.end(), std::greater<>());
    } else {
      become_ready(op);
    }
  }

  void become_ready(std::int32_t op) {
    s_.reached[at(op)] = now_;
    if (--unit_of(op).missing > 0) return;
    const std::int32_t unit = plan_.unit[at(op)];
    unit_of(op).ready = now_;
    bool queued = false;
    for (const std::int32_t member : plan_.members.row(unit)) {
      if (graph_.lane[at(member)] >= 0) continue;
      auto& queue = s_.queues[resource(member)];
      queue.insert(std::lower_bound(queue.begin(), queue.end(), unit), unit);
      s_.freed.push_back(static_cast<std::int32_t>(resource(member)));
      queued = true;
    }
    if (!queued) begin(unit);
  }

  void begin(std::int32_t unit) {
    SimTime alone{};
    for (const std::int32_t op : plan_.members.row(unit)) {
      alone = std::max(alone, work_.alone[at(op)]);
      s_.start[at(op)] = now_;
      s_.member_factor[at(op)] = 1.0;
      const std::int32_t rank = plan_.rank[at(op)];
      touch(rank);
      if (graph_.lane[at(op)] < 0) s_.holder[resource(op)] = op;
      auto& running = s_.running[at(rank)];
      const auto by_lane = [this](std::int32_t a, std::int32_t b) {
        return graph_.lane[at(a)] != graph_.lane[at(b)] ? graph_.lane[at(a)] < graph_.lane[at(b)] : a < b;
      };
      running.insert(std::lower_bound(running.begin(), running.end(), op, by_lane), op);
    }
    ReplayScratch::Unit& state = s_.units[at(unit)];
    state.left = alone.count();
    state.since = now_, state.end = now_ + alone;
    heap_.push(unit);
  }

  void end_due() {
    s_.ended.clear();
    while (!heap_.is_empty() && heap_.first_end() == now_) {
      const std::int32_t unit = heap_.first();
      heap_.pop();
      for (const std::int32_t op : plan_.members.row(unit)) {
        s_.end[at(op)] = now_;
        s_.ended.push_back(op);
        const std::int32_t rank = plan_.rank[at(op)];
        touch(rank);
        auto& running = s_.running[at(rank)];
        running.erase(std::find(running.begin(), running.end(), op));
        if (graph_.lane[at(op)] >= 0) continue;
        s_.holder[resource(op)] = -1, s_.freed_by[resource(op)] = op;
        s_.freed.push_back(static_cast<std::int32_t>(resource(op)));
      }
    }
    if (!s_.ended.empty()) s_.makespan = std::max(s_.makespan, now_);
  }

  void fire_timers() {
    while (!s_.timers.empty() && s_.timers.front().time == now_) {
      const std::int32_t op = s_.timers.front().op;
      std::pop_heap(s_.timers.begin(), s_.timers.end(), std::greater<>());
      s_.timers.pop_back();
      become_ready(op);
    }
  }

  void release_after(std::int32_t ended) {
    for (const std::int32_t op : plan_.released.row(ended)) release(op, ended);
  }

  void touch(std::int32_t rank) {
    if (s_.is_touched[at(rank)] != 0) return;
    s_.is_touched[at(rank)] = 1;
    s_.touched.push_back(rank);
  }

  // Begins ops that waited for others of their kind, then sets the resulting rates.
  void settle_instant() {
    for (std::int32_t unit = first_free(); unit >= 0; unit = first_free()) begin_queued(unit);
    s_.freed.clear();
    if (slows_) change_rates();
    for (const std::int32_t rank : s_.touched) s_.is_touched[at(rank)] = 0;
    s_.touched.clear();
  }

  [[nodiscard]] bool is_free(std::int32_t unit) const {
    for (const std::int32_t op : plan_.members.row(unit))
      if (graph_.lane[at(op)] < 0 && s_.holder[resource(op)] >= 0) return false;
    return true;
  }

  [[nodiscard]] std::int32_t first_free() const {
    std::int32_t first = -1;
    for (const std::int32_t place : s_.freed) {
      if (s_.holder[at(place)] >= 0) continue;
      for (const std::int32_t unit : s_.queues[at(place)]) {
        if (first >= 0 && unit >= first && !work_.newest_first) break;
        if ((first < 0 || goes_before(unit, first)) && is_free(unit)) first = unit;
      }
    }
    return first;
  }

  // Whether `a` begins first where both wait. Communication comes last, so that the order is one of all
  // units.
  [[nodiscard]] bool goes_before(std::int32_t a, std::int32_t b) const {
    if (!work_.newest_first) return a < b;
    const auto communicates = [this](std::int32_t unit) {
      return graph_.kind[at(plan_.members.row(unit).front())] == ReplayKind::communication;
    };
    if (communicates(a) != communicates(b)) return communicates(b);
    const SimTime ready_a = s_.units[at(a)].ready, ready_b = s_.units[at(b)].ready;
    return communicates(a) && ready_a != ready_b ? ready_a > ready_b : a < b;
  }

  void begin_queued(std::int32_t unit) {
    for (const std::int32_t op : plan_.members.row(unit)) {
      if (graph_.lane[at(op)] >= 0) continue;
      auto& queue = s_.queues[resource(op)];
      queue.erase(std::lower_bound(queue.begin(), queue.end(), unit));
    }
    note_holder(unit);
    begin(unit);
  }

  // If all ranks were ready before: the op whose end lets it begin now.
  void note_holder(std::int32_t unit) {
    std::int32_t holder = -1;
    for (const std::int32_t op : plan_.members.row(unit)) {
      if (s_.reached[at(op)] == now_) return;
      const std::int32_t before = graph_.lane[at(op)] < 0 ? s_.freed_by[resource(op)] : -1;
      if (before >= 0 && s_.end[at(before)] == now_) holder = before;
    }
    for (const std::int32_t op : plan_.members.row(unit)) s_.held_by[at(op)] = holder;
  }

  void change_rates() {
    for (const std::int32_t rank : s_.touched)
      for (const std::int32_t op : s_.running[at(rank)])
        if (unit_of(op).factor != 1.0) pass(unit_of(op));
    for (const std::int32_t rank : s_.touched) set_factors(s_.running[at(rank)]);
    for (const std::int32_t rank : s_.touched) {
      for (const std::int32_t op : s_.running[at(rank)]) {
        const std::int32_t unit = plan_.unit[at(op)];
        ReplayScratch::Unit& state = s_.units[at(unit)];
        double factor = 1.0;
        for (const std::int32_t member : plan_.members.row(unit))
          factor = std::max(factor, s_.member_factor[at(member)]);
        if (factor == 1.0 && state.factor == 1.0) continue;
        pass(state);
        state.factor = factor;
        state.end = now_ + SimTime(factor == 1.0 ? state.left
                                                 : round_nearest(static_cast<double>(state.left) * factor));
        heap_.moved(unit);
      }
    }
  }

  void pass(ReplayScratch::Unit& state) const {
    const std::int64_t dt = (now_ - state.since).count();
    state.left -= state.factor == 1.0 ? dt : round_nearest(static_cast<double>(dt) / state.factor);
    state.since = now_;
  }

  [[nodiscard]] bool takes_part(std::int32_t op) const {
    return !work_.work[at(op)].is_none() && graph_.kind[at(op)] <= ReplayKind::communication;
  }
  [[nodiscard]] bool is_kernel(std::int32_t op) const { return graph_.kind[at(op)] == ReplayKind::kernel; }
  [[nodiscard]] std::size_t pair(std::int32_t kernel, std::int32_t collective) const {
    return at(work_.work[at(kernel)]) * at(factors_.collectives) +
           at(collective_of(work_.work[at(collective)], factors_.kernels));
  }

  void set_factors(const std::vector<std::int32_t>& running) {
    for (const std::int32_t op : running)
      if (takes_part(op))
        s_.member_factor[at(op)] = is_kernel(op) ? of_kernel(op, running) : of_other(op, running);
  }

  [[nodiscard]] double of_kernel(std::int32_t op, const std::vector<std::int32_t>& running) const {
    double worst = 1.0, all = 1.0;
    if (factors_.kernel_factor.empty()) return 1.0;
    for (const std::int32_t other : running) {
      if (is_kernel(other) || !takes_part(other)) continue;
      worst = std::max(worst, factors_.kernel_factor[pair(op, other)]);
      all += factors_.kernel_factor[pair(op, other)] - 1.0;
    }
    return factors_.scale_up_loss.empty() ? worst : all;
  }

  [[nodiscard]] double of_other(std::int32_t op, const std::vector<std::int32_t>& running) const {
    double factor = 1.0, scale_up = 0.0, scale_out = 0.0;
    for (const std::int32_t other : running) {
      if (other == op || !takes_part(other)) continue;
      if (is_kernel(other)) {
        if (!factors_.kernel_factor.empty())
          factor = std::max(factor, factors_.collective_factor[pair(other, op)]);
      } else if (!factors_.scale_up_loss.empty()) {
        const std::size_t beside =
            at(collective_of(work_.work[at(op)], factors_.kernels)) * at(factors_.collectives) +
            at(collective_of(work_.work[at(other)], factors_.kernels));
        scale_up += factors_.scale_up_loss[beside];
        scale_out += factors_.scale_out_loss[beside];
      }
    }
    return factor + (scale_up + scale_out);
  }

  // For each rank that is not done: an op that waits for other ranks, else the first that has not ended.
  void find_stuck() {
    s_.stuck.clear();
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
      std::int32_t found = -1;
      for (std::int32_t op = graph_.rank_begin[at(rank)]; op < graph_.rank_begin[at(rank) + 1]; ++op) {
        if (s_.end[at(op)] != not_yet) continue;
        if (found < 0) found = op;
        if (is_wait(op) || s_.pending[at(op)] > 0) continue;
        found = op;
        break;
      }
      if (found >= 0) s_.stuck.push_back(found);
    }
  }

  const ReplayGraph& graph_;
  const ReplayPlan& plan_;
  const ReplayWork& work_;
  const FactorTable& factors_;
  ReplayScratch& s_;
  ReplayHeap heap_;
  const bool slows_;
  SimTime now_{};
};

}  // namespace

bool replay(const ReplayGraph& graph, const ReplayPlan& plan, const ReplayWork& work,
            const FactorTable& factors, ReplayScratch& scratch) {
  ECHO_EXPECT(work.alone.size() == at(graph.ops()) && work.work.size() == at(graph.ops()));
  ECHO_EXPECT(plan.unit.size() == at(graph.ops()));
  return Replayer(graph, plan, work, factors, scratch).run();
}

}  // namespace echo::timeline
