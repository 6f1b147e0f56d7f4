// The slow twin of the replay: no plan, no heap. At every instant it asks of every op, from the graph alone,
// whether it may begin.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/at.hpp"
#include "timeline/replay/replay.hpp"

namespace echo::timeline::twin {

struct ReplayResult {
  bool done = true;
  std::map<int, SimTime> start, end;  // [op]; of a wait: when the host went on
  SimTime makespan{};
};

class ReplayTwin {
 public:
  ReplayTwin(const ReplayGraph& graph, const std::vector<SimTime>& alone, const std::vector<WorkId>& work,
             const FactorTable& factors, bool newest_first)
      : graph_(graph), alone_(alone), work_(work), factors_(factors), newest_first_(newest_first) {
    for (int r = 0; r < graph.ranks(); ++r)
      for (int op = graph.rank_begin[at(r)]; op < graph.rank_begin[at(r) + 1]; ++op) rank_.push_back(r);
    std::map<int, std::vector<int>> meetings;
    for (int op = 0; op < graph.ops(); ++op) {
      if (graph.meeting[at(op)] >= 0) {
        meetings[graph.meeting[at(op)]].push_back(op);
      } else {
        add_unit({op});
      }
    }
    for (const auto& [unused, ops] : meetings) add_unit(ops);
  }

  ReplayResult run() {
    for (;;) {
      issue_all();
      note_ready();
      bool began = true;
      while (began) began = begin_one();
      set_rates();
      const std::optional<SimTime> next = next_instant();
      if (!next) break;
      now_ = *next;
      changed_.clear();
      end_due();
    }
    for (const auto& [unused, end] : result_.end) result_.makespan = std::max(result_.makespan, end);
    result_.done = static_cast<int>(result_.end.size()) == graph_.ops();
    return result_;
  }

 private:
  using Unit = std::vector<int>;
  struct Running {
    long long left = 0;
    SimTime since{}, end{};
    double factor = 1.0;
  };

  int local(int op) const { return op - graph_.rank_begin[at(rank_[at(op)])]; }
  bool ended(int op) const { return result_.end.count(op) != 0; }
  bool is_wait(int op) const { return graph_.kind[at(op)] == ReplayKind::wait; }
  void add_unit(const Unit& ops) {
    std::pair<int, int> place{1 << 30, 0};
    for (const int op : ops) place = std::min(place, std::pair(local(op), rank_[at(op)]));
    units_[place] = ops;
  }

  void issue_all() {
    for (int r = 0; r < graph_.ranks(); ++r) {
      SimTime clock{};
      for (int op = graph_.rank_begin[at(r)]; op < graph_.rank_begin[at(r) + 1]; ++op) {
        clock += graph_.gap[at(op)];
        if (!is_wait(op)) {
          issue_[op] = clock;
          continue;
        }
        bool done = true;
        SimTime last = clock;
        for (const int need : graph_.needs.row(op)) {
          done = done && (ended(need) && result_.end[need] <= std::max(now_, clock));
          if (done) last = std::max(last, result_.end[need]);
        }
        result_.start[op] = clock;
        if (!done) break;
        result_.end[op] = clock = last;
      }
    }
  }

  bool together(int a, int b) const {
    return rank_[at(a)] == rank_[at(b)] && graph_.launch[at(a)] >= 0 &&
           graph_.launch[at(a)] == graph_.launch[at(b)];
  }
  bool needs_ended(int op, int below) const {
    for (const int need : graph_.needs.row(op))
      if (need < below && !is_wait(need) && !ended(need)) return false;
    return true;
  }
  bool is_ready(int op) const {
    const auto issued = issue_.find(op);
    if (issued == issue_.end() || issued->second > now_) return false;
    const int begin = graph_.rank_begin[at(rank_[at(op)])], end = graph_.rank_begin[at(rank_[at(op)]) + 1];
    int first = op;
    for (int other = begin; other < end; ++other)
      if (together(op, other)) first = std::min(first, other);
    for (int other = begin; other < end; ++other)
      if (other != op && together(op, other) && !needs_ended(other, first)) return false;
    for (const int need : graph_.needs.row(op))
      if (!is_wait(need) && !together(op, need) && !ended(need)) return false;
    if (graph_.lane[at(op)] < 0) return true;
    bool same_launch = true;
    for (int before = op - 1; before >= begin; --before) {
      if (is_wait(before) || graph_.lane[at(before)] != graph_.lane[at(op)]) continue;
      same_launch = same_launch && together(op, before);
      if (!same_launch && !ended(before)) return false;
    }
    return true;
  }
  bool may_begin(const Unit& unit) const {
    for (const int op : unit) {
      if (is_wait(op) || result_.start.count(op) != 0 || !is_ready(op)) return false;
      if (graph_.lane[at(op)] >= 0) continue;
      for (const auto& [other, unused] : running_)
        for (const int member : other)
          if (rank_[at(member)] == rank_[at(op)] && graph_.lane[at(member)] < 0 &&
              graph_.kind[at(member)] == graph_.kind[at(op)])
            return false;
    }
    return true;
  }
  void note_ready() {
    for (const auto& [place, unit] : units_) {
      bool ready = ready_.count(place) == 0;
      for (const int op : unit) ready = ready && is_ready(op);
      if (ready) ready_[place] = now_;
    }
  }
  // Whether the unit at `a` goes before that at `b`, if both may begin.
  bool goes_before(std::pair<int, int> a, std::pair<int, int> b) const {
    const auto rank = [&](std::pair<int, int> place) {
      const bool queued = newest_first_ && graph_.kind[at(units_.at(place)[0])] == ReplayKind::communication;
      return std::tuple(queued, queued ? -ready_.at(place).count() : 0, place);
    };
    return rank(a) < rank(b);
  }
  bool begin_one() {
    std::optional<std::pair<int, int>> first;
    for (const auto& [place, unit] : units_)
      if (may_begin(unit) && (!first || goes_before(place, *first))) first = place;
    if (!first) return false;
    const Unit& unit = units_.at(*first);
    long long left = 0;
    for (const int op : unit) {
      result_.start[op] = now_;
      left = std::max<long long>(left, alone_[at(op)].count());
      changed_.insert(rank_[at(op)]);
    }
    running_[unit] = {left, now_, now_ + SimTime(left), 1.0};
    return true;
  }

  bool on_changed_rank(const Unit& unit) const {
    for (const int op : unit)
      if (changed_.count(rank_[at(op)]) != 0) return true;
    return false;
  }
  void set_rates() {
    for (auto& [unit, state] : running_) {
      if (!on_changed_rank(unit)) continue;
      const auto dt = (now_ - state.since).count();
      state.left -= std::llround(static_cast<double>(dt) / state.factor);
      state.since = now_;
    }
    for (auto& [unit, state] : running_) {
      if (!on_changed_rank(unit)) continue;
      state.factor = 1.0;
      for (const int op : unit) state.factor = std::max(state.factor, factor_of(op));
      state.end = now_ + SimTime(std::llround(static_cast<double>(state.left) * state.factor));
    }
  }
  double factor_of(int op) const {
    if (work_[at(op)].is_none()) return 1.0;
    std::map<std::pair<int, int>, int> beside;  // by lane
    for (const auto& [unit, unused] : running_)
      for (const int other : unit)
        if (other != op && rank_[at(other)] == rank_[at(op)] && !work_[at(other)].is_none())
          beside[{graph_.lane[at(other)], other}] = other;
    const bool kernel = graph_.kind[at(op)] == ReplayKind::kernel, shares = !factors_.scale_up_loss.empty();
    const auto kernel_pair = [&](std::span<const double> table, int k, int c) {
      return table.empty() ? 1.0
                           : table[at(work_[at(k)].index() * factors_.collectives + work_[at(c)].index() -
                                      factors_.kernels)];
    };
    double worst = 1.0, all = 1.0, up = 0.0, out = 0.0;
    for (const auto& [unused, other] : beside) {
      const bool other_kernel = graph_.kind[at(other)] == ReplayKind::kernel;
      if (kernel && !other_kernel) {
        const double factor = kernel_pair(factors_.kernel_factor, op, other);
        worst = std::max(worst, factor);
        all += factor - 1.0;
      } else if (!kernel && other_kernel) {
        worst = std::max(worst, kernel_pair(factors_.collective_factor, other, op));
      } else if (!kernel && shares) {
        const std::size_t pair = at((work_[at(op)].index() - factors_.kernels) * factors_.collectives +
                                    work_[at(other)].index() - factors_.kernels);
        up += factors_.scale_up_loss[pair];
        out += factors_.scale_out_loss[pair];
      }
    }
    if (kernel) return shares && !factors_.kernel_factor.empty() ? all : worst;
    return worst + (up + out);
  }

  std::optional<SimTime> next_instant() const {
    std::optional<SimTime> next;
    const auto see = [&](SimTime time) {
      if (!next || time < *next) next = time;
    };
    for (const auto& [unused, state] : running_) see(state.end);
    for (const auto& [op, time] : issue_)
      if (time > now_) see(time);
    for (const auto& [op, time] : result_.end)
      if (time > now_) see(time);
    return next;
  }
  void end_due() {
    for (auto it = running_.begin(); it != running_.end();) {
      if (it->second.end != now_) {
        ++it;
        continue;
      }
      for (const int op : it->first) {
        result_.end[op] = now_;
        changed_.insert(rank_[at(op)]);
      }
      it = running_.erase(it);
    }
  }

  const ReplayGraph& graph_;
  const std::vector<SimTime>& alone_;
  const std::vector<WorkId>& work_;
  const FactorTable& factors_;
  bool newest_first_;
  std::map<std::pair<int, int>, SimTime> ready_;  // [units] since when all of its ops are
  std::vector<int> rank_;
  std::map<std::pair<int, int>, Unit> units_;
  std::map<Unit, Running> running_;
  std::map<int, SimTime> issue_;
  std::set<int> changed_;
  ReplayResult result_;
  SimTime now_{};
};

inline ReplayResult simulate_replay(const ReplayGraph& graph, const std::vector<SimTime>& alone,
                                    const std::vector<WorkId>& work, const FactorTable& factors,
                                    bool newest_first = false) {
  return ReplayTwin(graph, alone, work, factors, newest_first).run();
}

}  // namespace echo::timeline::twin
