// Passes of a model chunk whose parameters are sharded over the data-parallel ranks (ZeRO-3, FSDP full
// shard).
#pragma once

#include "workload/builder.hpp"
#include "workload/transformer.hpp"

namespace echo::workload {

// What a model chunk holds.
struct ChunkContents {
  std::int32_t layers = 0, first_layer = 0;  // how many, and the index of the first in the model
  bool first = false, last = false;          // holds the embedding, the head
  training::RankParameters parameters;       // before sharding
};

// Each opens a block, appends the whole pass with its traffic on the data lane, and returns the block.
std::int32_t sharded_forward(Builder&, const BlockContext&, const ChunkContents&);
std::int32_t sharded_backward(Builder&, const BlockContext&, const ChunkContents&);

}  // namespace echo::workload
