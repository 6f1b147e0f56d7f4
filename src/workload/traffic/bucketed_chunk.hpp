// Passes of a whole model chunk that overlap buckets of weights or gradients (DDP, ZeRO-1 and 2).
#pragma once

#include "workload/body.hpp"
#include "workload/builder.hpp"
#include "workload/traffic/chunk_contents.hpp"

namespace echo::workload {

// Each opens a block, appends the whole pass with its communication on the data lane, and returns the block.
// Layers are copied from `traced`, the blocks of the same body, where it is given and they can be.
BlockId bucketed_forward(Builder&, const BlockContext&, const ChunkContents&, Gather,
                         const PassBlocks* traced = nullptr);
BlockId bucketed_backward(Builder&, const BlockContext&, const ChunkContents&, Reduce,
                          const PassBlocks* traced = nullptr);

}  // namespace echo::workload
