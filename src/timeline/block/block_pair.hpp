// Two blocks that begin with the same ops: the first passes of two chunks, of which one has more after the
// layers. What happens until those ops are done is composed once.
#pragma once

#include <cstdint>

#include "timeline/block/block.hpp"

namespace echo::timeline {

// How many ops both begin with: same lane, part, work and needs.
[[nodiscard]] std::int32_t ops_alike(const OpGraphView&, const OpGraphView&);

struct PairedBlock {
  BlockTimes times;
  BlockPaths paths;     // where bottlenecks are given
  SimTime contended{};  // as in BlockScratchData
};

struct BlockPair {
  const OpGraphView &first, &second;
  std::int32_t alike = 0;  // ops; at most ops_alike
};

// Equal, bit by bit, to compose_block of the one and of the other. Contract: that of compose_block, for both.
void compose_pair(const BlockPair&, std::span<const SimTime> alone, const FactorTable&,
                  BlockScratchData& scratch, PairedBlock& first, PairedBlock& second);
void compose_pair(const BlockPair&, std::span<const SimTime> alone, const FactorTable&,
                  BlockScratchData& scratch, std::span<const BottleneckTimes> bottlenecks, PairedBlock& first,
                  PairedBlock& second);

}  // namespace echo::timeline
