// The first block is composed as always, and noted as it stands when the last op that both have on the
// compute lane ends. There the second one goes on, where nothing of it beyond those ops could have begun
// before.
#include "timeline/block/block_pair.hpp"

#include <algorithm>

#include "timeline/block/block_composer.hpp"
#include "timeline/block/block_path.hpp"

namespace echo::timeline {

namespace {

OpId last_kernel(const OpGraphView& graph, std::int32_t ops) {
  while (ops > 0 && graph.lane[at(ops - 1)] != Lane::compute) --ops;
  return OpId(ops - 1);
}

// Whether every op of the second block beyond those alike waits, directly or behind others, for something
// that has not ended before halfway.
template <class Drivers>
bool goes_on(const OpGraphView& second, const Halfway<Drivers>& half) {
  const auto pends = [&](OpId op) {
    if (op.index() >= half.alike || op == half.end_of) return true;
    const OpId head = half.lane[at(second.lane[at(op)])].op;
    return !head.is_none() && op >= head;
  };
  std::array<bool, static_cast<std::size_t>(lane_count)> lane_pends{};
  for (std::int32_t i = 0; i < half.alike; ++i) lane_pends[at(second.lane[at(i)])] = pends(OpId(i));
  for (std::int32_t i = half.alike; i < length_of(second.lane); ++i) {
    const auto needs = second.needs->row(i);
    bool& lane = lane_pends[at(second.lane[at(i)])];
    lane = lane || std::any_of(needs.begin(), needs.end(), pends);
    if (!lane) return false;
  }
  return true;
}

// `drivers_of(paths)`: new ones; `resumed(drivers, paths)`: those noted, for other paths. `end(block, graph)`
// is called when a block is composed.
template <class Drivers, class New, class Resumed, class End>
void compose_both(const BlockPair& pair, std::span<const SimTime> alone, const FactorTable& factors,
                  BlockScratchData& scratch, PairedBlock& first, PairedBlock& second, New drivers_of,
                  Resumed resumed, End end) {
  Halfway<Drivers> half;
  half.alike = pair.alike, half.end_of = last_kernel(pair.first, pair.alike);
  Composer<Drivers> one(pair.first, alone, factors, scratch, drivers_of(first.paths));
  first.times = half.end_of.is_none() ? one.run() : one.run_noting(half, first.paths);
  first.contended = scratch.contended;
  end(pair.first, first);
  if (half.is_reached && goes_on(pair.second, half)) {
    second.paths = half.paths;
    second.times =
        Composer<Drivers>(pair.second, alone, factors, scratch, resumed(*half.drivers, second.paths), half)
            .run_from(half);
  } else {
    second.times = Composer<Drivers>(pair.second, alone, factors, scratch, drivers_of(second.paths)).run();
  }
  second.contended = scratch.contended;
  end(pair.second, second);
}

}  // namespace

std::int32_t ops_alike(const OpGraphView& a, const OpGraphView& b) {
  const std::size_t most = std::min(a.lane.size(), b.lane.size());
  const auto same = [&](std::size_t op) {
    return a.lane[op] == b.lane[op] && a.part[op] == b.part[op] && a.work[op] == b.work[op] &&
           std::ranges::equal(a.needs->row(OpId(static_cast<std::int32_t>(op))),
                              b.needs->row(OpId(static_cast<std::int32_t>(op))));
  };
  std::size_t op = 0;
  while (op < most && same(op)) ++op;
  return static_cast<std::int32_t>(op);
}

void compose_pair(const BlockPair& pair, std::span<const SimTime> alone, const FactorTable& factors,
                  BlockScratchData& scratch, PairedBlock& first, PairedBlock& second) {
  if (!rates_may_change(pair.first, factors) || !rates_may_change(pair.second, factors)) {
    for (const auto& [graph, out] : {std::pair(&pair.first, &first), std::pair(&pair.second, &second)}) {
      scratch.contended = SimTime::zero();
      out->times = compose_block(*graph, alone, factors, scratch);
      out->contended = scratch.contended;
    }
    return;
  }
  expect_whole(pair.first, factors), expect_whole(pair.second, factors);
  compose_both<NoDrivers>(
      pair, alone, factors, scratch, first, second, [](BlockPaths&) { return NoDrivers{}; },
      [](const NoDrivers& noted, BlockPaths&) { return noted; }, [](const OpGraphView&, PairedBlock&) {});
}

void compose_pair(const BlockPair& pair, std::span<const SimTime> alone, const FactorTable& factors,
                  BlockScratchData& scratch, std::span<const BottleneckTimes> bottlenecks, PairedBlock& first,
                  PairedBlock& second) {
  if (!rates_may_change(pair.first, factors) || !rates_may_change(pair.second, factors)) {
    for (const auto& [graph, out] : {std::pair(&pair.first, &first), std::pair(&pair.second, &second)}) {
      scratch.contended = SimTime::zero();
      out->times = compose_block(*graph, alone, factors, scratch, bottlenecks, out->paths);
      out->contended = scratch.contended;
    }
    return;
  }
  ECHO_EXPECT(bottlenecks.size() == alone.size());
  expect_whole(pair.first, factors), expect_whole(pair.second, factors);
  first.paths = second.paths = {};
  compose_both<BlockDrivers>(
      pair, alone, factors, scratch, first, second,
      [&](BlockPaths& paths) { return BlockDrivers(bottlenecks, paths); },
      [](const BlockDrivers& noted, BlockPaths& paths) { return BlockDrivers(noted, paths); },
      [&](const OpGraphView& graph, PairedBlock& block) { part_paths(graph, alone, scratch, block.paths); });
}

}  // namespace echo::timeline
