// One block of ops on one GPU.
//
// Problem. A GPU runs one compute stream and a few communication streams. Each runs its ops in launch order;
// an op also waits for the ops it needs. While a kernel and a collective run at the same time, both slow
// down.
//
// Idea. Between two op ends nothing changes, so time advances from end to end. No event queue is needed: at
// most one op per lane runs, so the next end is a minimum over five numbers.
//
// Formula. Kernel k beside collectives C runs at rate 1 / max over c in C of kernel_factor[k][c]; each
// collective at rate 1 / collective_factor[k][c]. Where collectives slow each other too (tables of losses),
// all losses add: the kernel's factor is 1 + sum over c in C of (kernel_factor[k][c] - 1), that of
// collective c is collective_factor[k][c] (1 without a kernel) + sum over the others d in C of its losses to
// d, in the order of the lanes. Every op keeps its remaining work `left` in picoseconds of undisturbed time.
// If nothing changes, it ends after round(left * factor). The step dt is the least of these; the ops that
// reach it end, and every other running op loses round(dt / factor) of its work (never more than it has
// left). Each step ends at least one op, so there are at most as many steps as ops. Only a product, a
// quotient and their rounding use doubles, hence every compiler gives the same picosecond; a factor of
// exactly 1 never leaves the integers, so without overlap (or without slowdown) the result is the plain
// recurrence end = max(end of the needs, end of the lane) + alone. An op lasts at least its alone time:
// round(dt / factor) <= dt for factor >= 1, so the stretch is never negative.
//
// The block ends with its compute lane. Communication that no kernel waits for continues after that end
// (`lag`). Time that compute waits is charged to the needed op that ends last, the first of them in the row
// on a tie.
//
// Paths. By driver, the derivative is carried along: every op keeps the drivers of the work it has left, and
// `now` those of the time that passed. A step dt has the drivers of the remaining work of the op that ends,
// times its factor; the drivers of the other ops decrease as their work does. The makespan is homogeneous in
// the alone times, so the bottlenecks of `now` sum to it up to rounding, and are its derivatives at constant
// factors. Losses vary: the loss of a to b is proportional to the time that a waits for the link and to the
// rate at which b does, by_link of a's time times by_link of b's, so that a loss of a to b on link D depends
// on D twice, minus the bottlenecks of b as a whole. A kernel's wait for memory under load is proportional to
// the share of its time on the GPU that memory takes, and to the share of memory's bandwidth that b draws:
// beside its own bottlenecks it depends on memory once, minus those of the kernel without the host's, and
// once more on memory, minus the bottlenecks of b. With w = (factor - losses) alone(D) / alone + those, the
// rest of an op passes as left * w, and of one that continues, dt / factor is done, of which the factor's
// part is w - factor alone(D) / alone. By part, block_path.cpp walks back over starts and ends, to the
// picosecond.
//
// Neglected: without tables of losses collectives do not slow each other, and several beside a kernel slow
// it no more than the worst of them; with tables, the additional loss of three together beyond that of the
// pairs (network/shared_links.cpp gives its size). Every op starts as soon as it may (launch cost is part of
// the alone times).
#include "timeline/block/block.hpp"

#include <algorithm>

#include "timeline/block/block_composer.hpp"
#include "timeline/block/block_path.hpp"
#include "timeline/block/block_recurrence.hpp"

namespace echo::timeline {

bool rates_may_change(const OpGraphView& graph, const FactorTable& factors) {
  if (factors.kernel_factor.empty() && factors.scale_up_loss.empty()) return false;
  return std::any_of(graph.lane.begin(), graph.lane.end(), [](Lane lane) { return lane != Lane::compute; });
}

void expect_whole(const OpGraphView& graph, const FactorTable& factors) {
  ECHO_EXPECT(graph.needs != nullptr && at(graph.needs->rows()) == graph.lane.size());
  ECHO_EXPECT(graph.part.size() == graph.lane.size() && graph.work.size() == graph.lane.size());
  ECHO_EXPECT(factors.scale_up_loss.size() == factors.scale_out_loss.size());
  ECHO_EXPECT(factors.load_loss.empty() || factors.kernel_factor.empty() ||
              factors.load_loss.size() == factors.kernel_factor.size());
}

BlockTimes compose_block(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                         BlockScratchData& scratch) {
  expect_whole(graph, factors);
  if (!rates_may_change(graph, factors)) return compose_undisturbed(graph, alone, scratch, {}, nullptr);
  return Composer(graph, alone, factors, scratch, NoDrivers{}).run();
}

BlockTimes compose_block(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                         BlockScratchData& scratch, std::span<const BottleneckTimes> bottlenecks,
                         BlockPaths& paths) {
  ECHO_EXPECT(bottlenecks.size() == alone.size());
  expect_whole(graph, factors);
  paths = {};
  const BlockTimes times =
      rates_may_change(graph, factors)
          ? Composer(graph, alone, factors, scratch, BlockDrivers(bottlenecks, paths)).run()
          : compose_undisturbed(graph, alone, scratch, bottlenecks, &paths);
  part_paths(graph, alone, scratch, paths);
  return times;
}

}  // namespace echo::timeline
