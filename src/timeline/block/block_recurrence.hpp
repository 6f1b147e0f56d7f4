// Blocks in which no rate can change.
#pragma once

#include <span>

#include "timeline/block/block.hpp"

namespace echo::timeline {

// As compose_block without factors. paths: may be null; their bottlenecks are filled, not their categories.
[[nodiscard]] BlockTimes compose_undisturbed(const OpGraphView&, std::span<const SimTime> alone,
                                             BlockScratchData& scratch,
                                             std::span<const BottleneckTimes> bottlenecks, BlockPaths* paths);

// Paths of lanes that may continue after the block; null for the others.
[[nodiscard]] inline LanePaths* paths_of(Lane lane, BlockPaths& paths) {
  if (lane == Lane::data) return &paths.data;
  return lane == Lane::host ? &paths.host : nullptr;
}

}  // namespace echo::timeline
