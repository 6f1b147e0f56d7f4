// Which ops run as one, and which must end before which. Order within a lane becomes a cause like any other,
// so that running does not look at lanes. Ops of one launch (an ncclGroup) begin together: each has the
// causes of all ops before the first of them, and the next op on the lane waits for all.
#include <algorithm>
#include <map>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/replay/replay.hpp"

namespace echo::timeline {

namespace {

// The last op of a lane, or the last ops, if they belong to one launch.
struct Tail {
  std::vector<std::int32_t> ops, before;  // and what these came after
};

class RankCauses {
 public:
  RankCauses(const ReplayGraph& graph, std::int32_t rank) : graph_(graph) {
    for (std::int32_t op = graph.rank_begin[at(rank)]; op < graph.rank_begin[at(rank) + 1]; ++op) {
      if (graph.launch[at(op)] < 0) continue;
      launches_[graph.launch[at(op)]].push_back(op);
    }
  }

  void append(std::int32_t op, Csr<std::int32_t>& out) {
    row_.clear();
    const bool alone = graph_.launch[at(op)] < 0;
    if (alone) {
      add_needs(op, op);
    } else {
      const auto& together = launches_[graph_.launch[at(op)]];
      for (const std::int32_t other : together) add_needs(other, other == op ? op : together.front());
    }
    if (graph_.lane[at(op)] >= 0 && graph_.kind[at(op)] != ReplayKind::wait) follow_lane(op);
    std::sort(row_.begin(), row_.end());
    row_.erase(std::unique(row_.begin(), row_.end()), row_.end());
    for (const std::int32_t cause : row_) out.push(cause);
    out.close_row();
  }

 private:
  // A wait stops the host, which issues in order: the ops after it need no other cause.
  void add_needs(std::int32_t op, std::int32_t below) {
    for (const std::int32_t need : graph_.needs.row(op)) {
      if (need >= below || graph_.kind[at(need)] == ReplayKind::wait) continue;
      const bool together = graph_.launch[at(op)] >= 0 && graph_.launch[at(need)] == graph_.launch[at(op)];
      if (!together) row_.push_back(need);
    }
  }

  void follow_lane(std::int32_t op) {
    Tail& tail = tails_[graph_.lane[at(op)]];
    const bool joins = !tail.ops.empty() && graph_.launch[at(op)] >= 0 &&
                       graph_.launch[at(tail.ops.front())] == graph_.launch[at(op)];
    if (!joins) {
      tail.before.swap(tail.ops);
      tail.ops.clear();
    }
    row_.insert(row_.end(), tail.before.begin(), tail.before.end());
    tail.ops.push_back(op);
  }

  const ReplayGraph& graph_;
  std::map<std::int32_t, std::vector<std::int32_t>> launches_;
  std::map<std::int32_t, Tail> tails_;
  std::vector<std::int32_t> row_;
};

void number_units(const ReplayGraph& graph, ReplayPlan& out) {
  out.unit.assign(at(graph.ops()), -1);
  std::int32_t units = 0, longest = 0, meetings = 0;
  for (std::int32_t rank = 0; rank < graph.ranks(); ++rank)
    longest = std::max(longest, graph.rank_begin[at(rank) + 1] - graph.rank_begin[at(rank)]);
  for (const std::int32_t meeting : graph.meeting) meetings = std::max(meetings, meeting + 1);
  std::vector<std::int32_t> of_meeting(at(meetings), -1);
  for (std::int32_t i = 0; i < longest; ++i) {
    for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) {
      const std::int32_t op = graph.rank_begin[at(rank)] + i;
      if (op >= graph.rank_begin[at(rank) + 1]) continue;
      const std::int32_t meeting = graph.meeting[at(op)];
      std::int32_t& unit = meeting < 0 ? out.unit[at(op)] : of_meeting[at(meeting)];
      if (unit < 0) unit = units++;
      out.unit[at(op)] = unit;
    }
  }
}

// The inverse of `pairs`: row [to] holds the rows that name it, ascending.
template <class Targets>
void turn_round(std::int32_t from, std::int32_t to, Targets targets, Csr<std::int32_t>& out) {
  std::vector<std::int32_t>& offset = out.offset;
  offset.assign(at(to) + 1, 0);
  for (std::int32_t i = 0; i < from; ++i)
    for (const std::int32_t target : targets(i)) ++offset[at(target) + 1];
  for (std::size_t i = 1; i < offset.size(); ++i) offset[i] += offset[i - 1];
  out.value.resize(at(offset.back()));
  std::vector<std::int32_t> next(offset.begin(), offset.end() - 1);
  for (std::int32_t i = 0; i < from; ++i)
    for (const std::int32_t target : targets(i)) out.value[at(next[at(target)]++)] = i;
}

}  // namespace

void plan_replay(const ReplayGraph& graph, ReplayPlan& out) {
  const std::int32_t ops = graph.ops();
  ECHO_EXPECT(graph.needs.rows() == ops && at(ops) == graph.kind.size() && at(ops) == graph.lane.size());
  ECHO_EXPECT(at(ops) == graph.part.size() && at(ops) == graph.gap.size());
  ECHO_EXPECT(at(ops) == graph.meeting.size() && at(ops) == graph.launch.size());
  out.causes.clear();
  out.rank.clear();
  for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) {
    RankCauses causes(graph, rank);
    for (std::int32_t op = graph.rank_begin[at(rank)]; op < graph.rank_begin[at(rank) + 1]; ++op) {
      for (const std::int32_t need : graph.needs.row(op))
        ECHO_EXPECT(need >= graph.rank_begin[at(rank)] && need < op);
      causes.append(op, out.causes);
      out.rank.push_back(rank);
    }
  }
  number_units(graph, out);
  std::int32_t units = 0;
  for (const std::int32_t unit : out.unit) units = std::max(units, unit + 1);
  turn_round(
      ops, units, [&](std::int32_t op) { return std::span(&out.unit[at(op)], 1); }, out.members);
  turn_round(
      ops, ops, [&](std::int32_t op) { return out.causes.row(op); }, out.released);
}

}  // namespace echo::timeline
