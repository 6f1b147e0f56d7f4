// Every op starts when the last op it waits for ends, so the chain back from any end has no gaps and its
// lengths sum to that end. The alone time of an op counts as its part, the time added by overlap as
// slowdown.
#include "timeline/block/block_path.hpp"

#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

std::int32_t last_of(const OpGraphView& graph, Lane lane) {
  auto op = static_cast<std::int32_t>(graph.lane.size()) - 1;
  while (op >= 0 && graph.lane[at(op)] != lane) --op;
  return op;
}

std::int32_t first_of(const OpGraphView& graph, Lane lane) {
  for (std::size_t op = 0; op < graph.lane.size(); ++op)
    if (graph.lane[op] == lane) return static_cast<std::int32_t>(op);
  return -1;
}

class Parts {
 public:
  Parts(const OpGraphView& graph, std::span<const SimTime> alone, const BlockScratchData& ran)
      : graph_(graph), alone_(alone), ran_(ran) {}

  void count(std::int32_t op, PathShare& path) const {
    const SimTime alone = alone_[at(graph_.work[at(op)])];
    path.part[static_cast<std::size_t>(graph_.part[at(op)])] += alone;
    path.part[static_cast<std::size_t>(TimeCategory::slowdown)] +=
        ran_.end[at(op)] - ran_.start[at(op)] - alone;
  }
  // From the end of `op` back to the block's start.
  void follow(std::int32_t op, PathShare& path) const {
    for (; op >= 0; op = waited_for(graph_, ran_, op)) count(op, path);
  }

 private:
  const OpGraphView& graph_;
  const std::span<const SimTime> alone_;
  const BlockScratchData& ran_;
};

}  // namespace

std::int32_t waited_for(const OpGraphView& graph, const BlockScratchData& ran, std::int32_t op) {
  const SimTime start = ran.start[at(op)];
  if (start == SimTime::zero()) return -1;
  std::int32_t before = op - 1;
  while (before >= 0 && graph.lane[at(before)] != graph.lane[at(op)]) --before;
  if (before >= 0 && ran.end[at(before)] == start) return before;
  for (const std::int32_t need : graph.needs->row(op))
    if (ran.end[at(need)] == start) return need;
  throw ContractViolation("an op started without a cause");
}

void part_paths(const OpGraphView& graph, std::span<const SimTime> alone, const BlockScratchData& ran,
                BlockPaths& paths) {
  const Parts parts(graph, alone, ran);
  parts.follow(last_of(graph, Lane::compute), paths.makespan);
  for (const auto& [lane, own] : {std::pair(Lane::data, &paths.data), std::pair(Lane::host, &paths.host)}) {
    const std::int32_t first = first_of(graph, lane);
    if (first < 0) continue;
    parts.follow(waited_for(graph, ran, first), own->start);
    parts.follow(last_of(graph, lane), own->end);
    for (auto op = at(first); op < graph.lane.size(); ++op)
      if (graph.lane[op] == lane) parts.count(static_cast<std::int32_t>(op), own->busy);
  }
}

}  // namespace echo::timeline
