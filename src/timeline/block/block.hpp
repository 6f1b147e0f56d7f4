// Composition of one block of ops on one GPU: in-order lanes, dependencies, and rates that drop while lanes
// overlap.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bottleneck.hpp"
#include "base/csr.hpp"
#include "base/lane.hpp"
#include "base/units.hpp"

namespace echo::timeline {

// Ops in launch order; needs.row(i) are ids < i that must end before op i starts (besides lane order).
struct OpGraphView {
  std::span<const Lane> lane;          // [ops]
  std::span<const TimeCategory> part;  // [ops] what its exposed time counts as
  std::span<const std::int32_t>
      work;  // [ops] index into `alone`: kernels first [0, kernels), then collectives
  const Csr<std::int32_t>* needs = nullptr;
};

// How much longer a kernel and a collective take while they run beside each other (factors >= 1).
// [kernels][collectives], row-major, for both directions. Empty spans: nothing slows (factor 1).
struct FactorTable {
  std::int32_t kernels = 0, collectives = 0;
  std::span<const double> kernel_factor, collective_factor;
  // How much longer a collective takes beside another, as shares of its time alone (>= 0), by the link where
  // it waits: [collectives][collectives], row-major, of the row's beside the column's. Empty spans:
  // collectives do not slow each other, and of several the worst slows a kernel; else all losses add.
  std::span<const double> scale_up_loss = {}, scale_out_loss = {};
};

struct BlockTimes {
  SimTime makespan{};          // until the compute lane ends (communication may still run: see lag)
  SimTime compute_busy{};      // sum of compute durations as stretched
  SimTime slowdown_penalty{};  // compute_busy minus the sum of the alone durations
  std::array<SimTime, time_category_count>
      exposed{};  // splits makespan exactly: compute by its part, stretch as slowdown,
                  //   waiting by the part of the op waited for
  std::array<SimTime, lane_count> first_start{}, lag{},
      busy{};  // per lane: start of its first op; how long it runs
               //   on after makespan (0 if not); its busy time
  friend bool operator==(const BlockTimes&, const BlockTimes&) = default;
};

// What a block's ends hang on. The path of each ends in that instant and leads back to the block's start:
// by part, alone times by theirs and stretch as slowdown; by driver, factors held.
struct LanePaths {
  PathShare start, end;  // of the lane's first op; of its last
  PathShare busy;        // no path: its ops, one after the other
};
struct BlockPaths {
  PathShare makespan;
  LanePaths data, host;  // zero where the lane has no ops
};

// start and end hold, after a call, when each op of that block ran.
struct BlockScratchData {
  std::vector<SimTime> start, end;
  std::vector<std::int32_t> next;  // [ops] the next op of the same lane, or -1
  std::vector<BottleneckTimes>
      bottleneck;      // [ops] of the path to each op's end; only where no rate can change
  SimTime together{};  // how long two or more collectives ran at once; only where a rate can change
};

// Contract: lanes and needs as above; alone >= 0. With factors, ops of the compute lane are kernels and all
// others collectives. Deterministic integer picoseconds, same result on every compiler. Exposed parts sum to
// makespan exactly.
[[nodiscard]] BlockTimes compose_block(const OpGraphView&, std::span<const SimTime> alone, const FactorTable&,
                                       BlockScratchData& scratch);

// The same, and the paths. drivers: of each alone time.
[[nodiscard]] BlockTimes compose_block(const OpGraphView&, std::span<const SimTime> alone, const FactorTable&,
                                       BlockScratchData& scratch,
                                       std::span<const BottleneckTimes> bottlenecks, BlockPaths& paths);

}  // namespace echo::timeline
