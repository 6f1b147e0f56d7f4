// Every op begins when the last thing it waits for is there, so the chain back from the last end has no
// gaps: an op, the op after which the last of its ranks became ready, and so on to the begin of the step.
#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/replay/replay.hpp"

namespace echo::timeline {

namespace {

class Walk {
 public:
  Walk(const ReplayGraph& graph, const ReplayPlan& plan, const ReplayScratch& ran, std::vector<PathStep>& out)
      : graph_(graph), plan_(plan), ran_(ran), out_(out) {}

  void from_end() {
    const auto last = std::max_element(ran_.end.begin(), ran_.end.end());
    if (last == ran_.end.end()) return;
    until_ = *last;
    for (auto op = static_cast<std::int32_t>(last - ran_.end.begin()); op >= 0;) op = step(op);
    ECHO_ENSURE(until_ == SimTime::zero());
  }

 private:
  // The op that `op` waited for; -1 where nothing came before.
  std::int32_t step(std::int32_t op) {
    if (graph_.kind[at(op)] == ReplayKind::wait)
      return ran_.begun_by[at(op)] >= 0 ? ran_.begun_by[at(op)] : by_host(op);
    add(op, plan_.rank[at(op)], ran_.start[at(op)]);
    if (ran_.held_by[at(op)] >= 0) return ran_.held_by[at(op)];
    for (const std::int32_t member : plan_.members.row(plan_.unit[at(op)])) {
      if (ran_.reached[at(member)] != until_) continue;
      const std::int32_t cause = ran_.begun_by[at(member)];
      return cause == begun_by_host ? by_host(member) : cause;
    }
    throw ContractViolation("an op began without a cause");
  }

  std::int32_t by_host(std::int32_t op) {
    const std::int32_t rank = plan_.rank[at(op)], held = ran_.held_before[at(op)];
    add(-1, rank, held < 0 ? SimTime::zero() : ran_.end[at(held)]);
    return held < 0 ? -1 : ran_.begun_by[at(held)];
  }

  void add(std::int32_t op, std::int32_t rank, SimTime from) {
    out_.push_back({op, rank, until_ - from});
    until_ = from;
  }

  const ReplayGraph& graph_;
  const ReplayPlan& plan_;
  const ReplayScratch& ran_;
  std::vector<PathStep>& out_;
  SimTime until_{};
};

}  // namespace

void replay_path(const ReplayGraph& graph, const ReplayPlan& plan, const ReplayScratch& ran,
                 std::vector<PathStep>& out) {
  out.clear();
  Walk(graph, plan, ran, out).from_end();
}

}  // namespace echo::timeline
