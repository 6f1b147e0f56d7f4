// Where no rate can change, the times of each op follow from those of earlier ops alone: one pass in launch
// order.
#include "timeline/block/block_recurrence.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

constexpr std::size_t compute = static_cast<std::size_t>(Lane::compute);
constexpr std::size_t lanes = static_cast<std::size_t>(lane_count);

// The path to each op's end, from that of the op it waited for.
class PathsByDriver {
 public:
  PathsByDriver(std::span<const BottleneckTimes> alone, std::vector<BottleneckTimes>& ends, BlockPaths& paths)
      : alone_(alone), ends_(ends), paths_(paths) {
    lane_last_.fill(OpId::none());
  }
  void add(OpId op, Lane lane, std::size_t work, OpId waited_for) {
    OpId& before = lane_last_[at(lane)];
    const OpId cause = waited_for.is_none() ? before : waited_for;
    BottleneckTimes& path = ends_[at(op)];
    path = cause.is_none() ? BottleneckTimes{} : ends_[at(cause)];
    LanePaths* const own = paths_of(lane, paths_);
    if (own != nullptr && before.is_none()) own->start.bottleneck = path;
    path.add(alone_[work], 1.0);
    if (own != nullptr) {
      own->busy.bottleneck.add(alone_[work], 1.0);
      own->end.bottleneck = path;
    }
    before = op;
  }
  void end() {
    if (!lane_last_[compute].is_none()) paths_.makespan.bottleneck = ends_[at(lane_last_[compute])];
  }

 private:
  std::span<const BottleneckTimes> alone_;
  std::vector<BottleneckTimes>& ends_;
  BlockPaths& paths_;
  std::array<OpId, lanes> lane_last_;
};

struct NoPaths {
  void add(OpId, Lane, std::size_t, OpId) {}
  void end() {}
};

template <class Paths>
BlockTimes run(const OpGraphView& graph, std::span<const SimTime> alone, BlockScratchData& scratch,
               Paths paths) {
  const std::size_t ops = graph.lane.size();
  scratch.start.resize(ops);
  scratch.end.resize(ops);
  BlockTimes out;
  std::array<SimTime, lanes> lane_end{};
  unsigned opened = 0;
  for (std::size_t i = 0; i < ops; ++i) {
    const OpId op(static_cast<std::int32_t>(i));
    const std::size_t l = at(graph.lane[i]);
    const std::size_t work = at(graph.work[i]);
    ECHO_EXPECT(work < alone.size());
    const SimTime duration = alone[work];
    SimTime start = lane_end[l];
    OpId last;
    for (const OpId need : graph.needs->row(op)) {
      ECHO_EXPECT(need < op);
      if (scratch.end[at(need)] > start) start = scratch.end[at(need)], last = need;
    }
    if (l == compute) {
      if (!last.is_none()) out.exposed[at(graph.part[at(last)])] += start - lane_end[l];
      out.exposed[at(graph.part[i])] += duration;
    }
    paths.add(op, graph.lane[i], work, last);
    if ((opened >> l & 1U) == 0) out.first_start[l] = start, opened |= 1U << l;
    out.busy[l] += duration;
    scratch.start[i] = start;
    scratch.end[i] = lane_end[l] = start + duration;
  }
  paths.end();
  out.makespan = lane_end[compute];
  out.compute_busy = out.busy[compute];
  for (std::size_t l = 0; l < lanes; ++l) out.lag[l] = std::max(SimTime::zero(), lane_end[l] - out.makespan);
  return out;
}

}  // namespace

BlockTimes compose_undisturbed(const OpGraphView& graph, std::span<const SimTime> alone,
                               BlockScratchData& scratch, std::span<const BottleneckTimes> bottlenecks,
                               BlockPaths* paths) {
  if (paths == nullptr) return run(graph, alone, scratch, NoPaths{});
  scratch.bottleneck.resize(graph.lane.size());
  return run(graph, alone, scratch, PathsByDriver(bottlenecks, scratch.bottleneck, *paths));
}

}  // namespace echo::timeline
