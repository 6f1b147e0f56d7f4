// Composition of one block of ops on one GPU: in-order lanes, dependencies, and slowdown while lanes overlap.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bottleneck.hpp"
#include "base/csr.hpp"
#include "base/ids.hpp"
#include "base/lane.hpp"
#include "base/units.hpp"

namespace echo::timeline {

// Ops in launch order; needs.row(op) are earlier ops that must end before it starts (besides lane order).
struct OpGraphView {
  std::span<const Lane> lane;          // [ops]
  std::span<const TimeCategory> part;  // [ops] category of its exposed time
  std::span<const WorkId> work;        // [ops] of `alone`
  const Csr<OpId>* needs = nullptr;
};

// Slowdown of a kernel and a collective that run concurrently (factors >= 1). [kernels][collectives],
// row-major, for both directions. Empty spans: no slowdown (factor 1).
struct FactorTable {
  std::int32_t kernels = 0, collectives = 0;
  std::span<const double> kernel_factor, collective_factor;
  // Increase of a collective's time beside another, relative to its time alone (>= 0), per limiting link:
  // [collectives][collectives], row-major, of the row's beside the column's. Empty spans: collectives do not
  // slow each other, and of several the worst slows a kernel; else all losses add.
  std::span<const double> scale_up_loss = {}, scale_out_loss = {};
  // The part of kernel_factor that grows in proportion to the collective's rate [kernels][collectives]; its
  // elasticity to memory's speed is -2. Only bottlenecks depend on it. Empty: none.
  std::span<const double> load_loss = {};
};

struct BlockTimes {
  SimTime makespan{};          // until the compute lane ends (communication may still run: see lag)
  SimTime compute_busy{};      // sum of compute durations, including slowdown
  SimTime slowdown_penalty{};  // compute_busy minus the sum of the alone durations
  std::array<SimTime, time_category_count>
      exposed{};  // splits makespan exactly: compute by its category, stretch as slowdown,
                  //   waiting by the category of the op waited for
  std::array<SimTime, lane_count> first_start{}, lag{},
      busy{};  // per lane: start of its first op; time it runs
               //   after makespan (0 if none); its busy time
  friend bool operator==(const BlockTimes&, const BlockTimes&) = default;
};

// Critical paths of a block's ends. Each path ends at that instant and leads back to the block's start: per
// time category (stretch as slowdown), and per bottleneck; factors are held constant, but losses and
// load_loss are not.
struct LanePaths {
  PathShare start, end;  // of the lane's first op; of its last
  PathShare busy;        // not a path: its ops, one after the other
};
struct BlockPaths {
  PathShare makespan;
  LanePaths data, host;  // zero if the lane has no ops
};

// After a call, start and end hold the times of each op of that block.
struct BlockScratchData {
  std::vector<SimTime> start, end;
  std::vector<OpId> next, before;           // [ops] the next op of the same lane and the one before, or none
  std::vector<BottleneckTimes> bottleneck;  // [ops] of the path to each op's end; only if no rate can change
  // Time in which a collective loses to another, or a kernel runs beside two of them: without any, tables of
  // losses change nothing. Only if a rate can change.
  SimTime contended{};
};

// Contract: lanes and needs as above; alone >= 0. With factors, ops of the compute lane are kernels and all
// others collectives. Deterministic integer picoseconds, the same result on every compiler. Exposed times sum
// to makespan exactly.
[[nodiscard]] BlockTimes compose_block(const OpGraphView&, std::span<const SimTime> alone, const FactorTable&,
                                       BlockScratchData& scratch);

// The same with the paths. drivers: bottleneck shares of each alone time.
[[nodiscard]] BlockTimes compose_block(const OpGraphView&, std::span<const SimTime> alone, const FactorTable&,
                                       BlockScratchData& scratch,
                                       std::span<const BottleneckTimes> bottlenecks, BlockPaths& paths);

}  // namespace echo::timeline
