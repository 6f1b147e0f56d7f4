// Passes of a model chunk whose parameters are sharded over the data-parallel ranks (ZeRO-3, FSDP full
// shard).
#pragma once

#include "workload/builder.hpp"
#include "workload/transformer.hpp"

namespace echo::workload {

// What a model chunk holds.
struct ChunkContents {
  std::int32_t layers = 0;
  bool first = false, last = false;  // holds the embedding, the head
  std::int64_t parameters = 0;       // per gpu rank, before sharding
};

// Each opens a block, appends the whole pass with its traffic on the data lane, and returns the block.
std::int32_t sharded_forward(Builder&, const BlockContext&, const ChunkContents&);
std::int32_t sharded_backward(Builder&, const BlockContext&, const ChunkContents&);

}  // namespace echo::workload
