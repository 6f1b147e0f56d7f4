// The chains of ops behind a composed block's ends, by time category.
#pragma once

#include <span>

#include "timeline/block/block.hpp"

namespace echo::timeline {

// The last op of a lane, or none.
[[nodiscard]] OpId last_of(const OpGraphView&, Lane);

// The op that `op` waited for: the previous one on its lane, else the first in its row of needs that ended
// when it started; none if it started with the block.
[[nodiscard]] OpId waited_for(const OpGraphView&, const BlockScratchData& ran, OpId op);

// Fills the time categories of `paths`. Contract: `ran` is as compose_block left it for this block.
void part_paths(const OpGraphView&, std::span<const SimTime> alone, BlockScratchData& ran, BlockPaths& paths);

}  // namespace echo::timeline
