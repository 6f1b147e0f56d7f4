// Passes of a model chunk with parameters sharded over the data-parallel ranks (ZeRO-3, FSDP full shard).
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/transformer.hpp"
#include "workload/traffic/chunk_contents.hpp"

namespace echo::workload {

// Each opens a block, appends the whole pass with its communication on the data lane, and returns the block.
// Without `Gather` the weights are already present; without `Reduce` the gradients stay local.
BlockId sharded_forward(Builder&, const BlockContext&, const ChunkContents&, Gather);
BlockId sharded_backward(Builder&, const BlockContext&, const ChunkContents&, Gather, Reduce);

}  // namespace echo::workload
