// Every op starts when the last op it waits for ends, so the chain back from any end has no gaps and its
// lengths sum to that end. The alone time of an op counts as its part, the time added by overlap as
// slowdown.
#include "timeline/block/block_path.hpp"

#include <array>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

// The last op of the lane among the first `ops`, or none.
OpId last_of(const OpGraphView& graph, Lane lane, std::int32_t ops) {
  while (ops > 0 && graph.lane[at(ops - 1)] != lane) --ops;
  return OpId(ops - 1);
}

OpId first_of(const OpGraphView& graph, Lane lane) {
  for (const OpId op : ids<OpId>(length_of(graph.lane)))
    if (graph.lane[at(op)] == lane) return op;
  return OpId::none();
}

// The op that `op` waited for, where `before` precedes it on its lane.
OpId waited_for(const OpGraphView& graph, const BlockScratchData& ran, OpId op, OpId before) {
  const SimTime start = ran.start[at(op)];
  if (start == SimTime::zero()) return OpId::none();
  if (!before.is_none() && ran.end[at(before)] == start) return before;
  for (const OpId need : graph.needs->row(op))
    if (ran.end[at(need)] == start) return need;
  throw ContractViolation("an op started without a cause");
}

class Parts {
 public:
  Parts(const OpGraphView& graph, std::span<const SimTime> alone, BlockScratchData& ran)
      : graph_(graph), alone_(alone), ran_(ran) {
    ran.before.resize(graph.lane.size());
    std::array<OpId, static_cast<std::size_t>(lane_count)> last;
    for (const OpId op : ids<OpId>(length_of(graph.lane)))
      ran.before[at(op)] = std::exchange(last[at(graph.lane[at(op)])], op);
  }

  void count(OpId op, PathShare& path) const {
    const SimTime alone = alone_[at(graph_.work[at(op)])];
    path.part[at(graph_.part[at(op)])] += alone;
    path.part[at(TimeCategory::slowdown)] += ran_.end[at(op)] - ran_.start[at(op)] - alone;
  }
  // From the end of `op` back to the block's start.
  void follow(OpId op, PathShare& path) const {
    for (; !op.is_none(); op = cause_of(op)) count(op, path);
  }
  [[nodiscard]] OpId cause_of(OpId op) const { return waited_for(graph_, ran_, op, ran_.before[at(op)]); }

 private:
  const OpGraphView& graph_;
  const std::span<const SimTime> alone_;
  const BlockScratchData& ran_;
};

}  // namespace

OpId last_of(const OpGraphView& graph, Lane lane) { return last_of(graph, lane, length_of(graph.lane)); }

OpId waited_for(const OpGraphView& graph, const BlockScratchData& ran, OpId op) {
  return waited_for(graph, ran, op, last_of(graph, graph.lane[at(op)], op.index()));
}

void part_paths(const OpGraphView& graph, std::span<const SimTime> alone, BlockScratchData& ran,
                BlockPaths& paths) {
  const Parts parts(graph, alone, ran);
  parts.follow(last_of(graph, Lane::compute), paths.makespan);
  for (const auto& [lane, own] : {std::pair(Lane::data, &paths.data), std::pair(Lane::host, &paths.host)}) {
    const OpId first = first_of(graph, lane);
    if (first.is_none()) continue;
    parts.follow(parts.cause_of(first), own->start);
    parts.follow(last_of(graph, lane), own->end);
    for (const OpId op : ids<OpId>(length_of(graph.lane)))
      if (graph.lane[at(op)] == lane) parts.count(op, own->busy);
  }
}

}  // namespace echo::timeline
