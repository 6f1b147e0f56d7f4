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
    lane_last_.fill(-1);
  }
  void add(std::size_t op, Lane lane, std::size_t work, std::int32_t waited_for) {
    std::int32_t& before = lane_last_[static_cast<std::size_t>(lane)];
    const std::int32_t cause = waited_for >= 0 ? waited_for : before;
    BottleneckTimes& path = ends_[op];
    path = cause >= 0 ? ends_[at(cause)] : BottleneckTimes{};
    LanePaths* const own = paths_of(lane, paths_);
    if (own != nullptr && before < 0) own->start.bottleneck = path;
    path.add(alone_[work], 1.0);
    if (own != nullptr) {
      own->busy.bottleneck.add(alone_[work], 1.0);
      own->end.bottleneck = path;
    }
    before = static_cast<std::int32_t>(op);
  }
  void end() {
    if (lane_last_[compute] >= 0) paths_.makespan.bottleneck = ends_[at(lane_last_[compute])];
  }

 private:
  std::span<const BottleneckTimes> alone_;
  std::vector<BottleneckTimes>& ends_;
  BlockPaths& paths_;
  std::array<std::int32_t, lanes> lane_last_;
};

struct NoPaths {
  void add(std::size_t, Lane, std::size_t, std::int32_t) {}
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
    const auto l = static_cast<std::size_t>(graph.lane[i]);
    const std::size_t work = at(graph.work[i]);
    ECHO_EXPECT(work < alone.size());
    const SimTime duration = alone[work];
    SimTime start = lane_end[l];
    std::int32_t last = -1;
    for (const std::int32_t need : graph.needs->row(static_cast<std::int32_t>(i))) {
      ECHO_EXPECT(at(need) < i);
      if (scratch.end[at(need)] > start) start = scratch.end[at(need)], last = need;
    }
    if (l == compute) {
      if (last >= 0) out.exposed[static_cast<std::size_t>(graph.part[at(last)])] += start - lane_end[l];
      out.exposed[static_cast<std::size_t>(graph.part[i])] += duration;
    }
    paths.add(i, graph.lane[i], work, last);
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
