// Each rank's makespan by part. Kernels (and memory ops) cover the time during which they run: their alone
// times count as their part, the time added by overlap as slowdown; where several run at once, the first to
// begin covers the time. Time that no kernel covers is traced back from the kernel that ends it:
// communication counts as its part, several in a chain as that of the last, which is block.cpp's rule; but a
// wait for ranks that are not there yet counts as bubble, and a wait for the host as other. The time after a
// rank's last op is bubble too.
#include "timeline/replay/replay_split.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {

namespace {

class Splitter {
 public:
  Splitter(const ReplayGraph& graph, const ReplayPlan& plan, const ReplayWork& work, ReplayScratch& ran)
      : graph_(graph), plan_(plan), work_(work), ran_(ran) {}

  RankReplay split(std::int32_t rank) {
    rank_ = rank, out_ = {}, covered_ = SimTime::zero();
    sort_covering();
    for (const std::int32_t op : ran_.order) {
      if (ran_.start[at(op)] > covered_) {
        walk(label_of(op), ran_.begun_by[at(op)], op, ran_.start[at(op)]);
        covered_ = ran_.start[at(op)];
      }
      cover(op);
    }
    const std::int32_t last = last_op();
    out_.end = last < 0 ? SimTime::zero() : ran_.end[at(last)];
    if (out_.end > covered_) charge_last(last);
    charge(TimeCategory::bubble, ran_.makespan - std::max(out_.end, covered_));
    SimTime sum{};
    for (const SimTime time : out_.exposed) sum += time;
    ECHO_ENSURE(sum == ran_.makespan);
    return out_;
  }

 private:
  void charge(TimeCategory part, SimTime time) { out_.exposed[at(part)] += time; }

  void sort_covering() {
    ran_.order.clear();
    for (std::int32_t op = graph_.rank_begin[at(rank_)]; op < graph_.rank_begin[at(rank_) + 1]; ++op)
      if (graph_.kind[at(op)] == ReplayKind::kernel || graph_.kind[at(op)] == ReplayKind::memory)
        ran_.order.push_back(op);
    const auto by_start = [this](std::int32_t a, std::int32_t b) {
      return ran_.start[at(a)] != ran_.start[at(b)] ? ran_.start[at(a)] < ran_.start[at(b)] : a < b;
    };
    if (!std::is_sorted(ran_.order.begin(), ran_.order.end(), by_start))
      std::sort(ran_.order.begin(), ran_.order.end(), by_start);
  }

  void cover(std::int32_t op) {
    const SimTime start = ran_.start[at(op)], end = ran_.end[at(op)], took = end - start;
    const SimTime stretch = took - work_.alone[at(op)];
    if (graph_.kind[at(op)] == ReplayKind::kernel) {
      out_.compute_busy += took;
      out_.slowdown_penalty += stretch;
    }
    if (end <= covered_) return;
    const SimTime own = end - covered_;
    SimTime slowed = stretch;
    if (own < took)
      slowed = std::min(
          own, scaled(stretch, static_cast<double>(own.count()) / static_cast<double>(took.count())));
    charge(graph_.part[at(op)], own - slowed);
    charge(TimeCategory::slowdown, slowed);
    covered_ = end;
  }

  // The part of the needed op that ended last, the first such in its row.
  [[nodiscard]] TimeCategory label_of(std::int32_t op) const {
    std::int32_t last = -1;
    const auto look = [&](std::int32_t other) {
      if (last < 0 || ran_.end[at(other)] > ran_.end[at(last)]) last = other;
    };
    for (const std::int32_t need : graph_.needs.row(op))
      if (graph_.kind[at(need)] != ReplayKind::wait) look(need);
    for (const std::int32_t cause : plan_.causes.row(op)) look(cause);
    return last < 0 ? TimeCategory::other : graph_.part[at(last)];
  }

  // Charges [covered_, until], at the end of which `op` was reached after `cause`.
  void walk(TimeCategory label, std::int32_t cause, std::int32_t op, SimTime until) {
    while (until > covered_) {
      if (cause == begun_at_once) return charge(TimeCategory::other, until - covered_);
      if (cause == begun_by_host) {
        const std::int32_t held = ran_.held_before[at(op)];
        const SimTime issued = held < 0 ? SimTime::zero() : ran_.end[at(held)];
        until = charge_back(TimeCategory::other, issued, until);
        if (held < 0) return;
        cause = ran_.begun_by[at(held)];
        label = graph_.part[at(cause)];
        continue;
      }
      op = cause;
      until = charge_back(label, ran_.start[at(op)], until);
      const bool meets = plan_.members.row(plan_.unit[at(op)]).size() > 1;
      until = charge_back(meets ? TimeCategory::bubble : label, ran_.reached[at(op)], until);
      cause = ran_.begun_by[at(op)];
    }
  }
  SimTime charge_back(TimeCategory part, SimTime from, SimTime until) {
    from = std::max(from, covered_);
    if (from >= until) return until;
    charge(part, until - from);
    return from;
  }

  [[nodiscard]] std::int32_t last_op() const {
    std::int32_t last = -1;
    for (std::int32_t op = graph_.rank_begin[at(rank_)]; op < graph_.rank_begin[at(rank_) + 1]; ++op)
      if (last < 0 || ran_.end[at(op)] > ran_.end[at(last)]) last = op;
    return last;
  }
  void charge_last(std::int32_t last) {
    if (graph_.kind[at(last)] != ReplayKind::wait) return walk(graph_.part[at(last)], last, last, out_.end);
    const std::int32_t cause = ran_.begun_by[at(last)];
    walk(cause < 0 ? TimeCategory::other : graph_.part[at(cause)], cause, last, out_.end);
  }

  const ReplayGraph& graph_;
  const ReplayPlan& plan_;
  const ReplayWork& work_;
  ReplayScratch& ran_;
  RankReplay out_;
  std::int32_t rank_ = 0;
  SimTime covered_{};
};

}  // namespace

void split_replay(const ReplayGraph& graph, const ReplayPlan& plan, const ReplayWork& work,
                  ReplayScratch& ran) {
  Splitter splitter(graph, plan, work, ran);
  ran.ranks.clear();
  for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) ran.ranks.push_back(splitter.split(rank));
}

}  // namespace echo::timeline
