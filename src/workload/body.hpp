// The body of a step: the blocks that its passes run, but for what overlaps traffic of weights and gradients
// at its ends. Steps that differ in those ends alone have the same one.
#pragma once

#include <cstdint>

#include "workload/layer/layer_copy.hpp"
#include "workload/layer/pair.hpp"
#include "workload/layer/transformer.hpp"
#include "workload/workload.hpp"

namespace echo::workload {

// The blocks of which every chunk's passes are runs; none where the model has no such layer.
struct PassBlocks {
  BlockId embedding_forward, head_forward, head_backward, embedding_backward, head_weights;
  BlockId multi_token_forward, multi_token_backward, multi_token_weights;  // of one depth
  LayerBlocks layer_forward, layer_backward, layer_weights;
  LayerBlocks kept_backward;                       // of layers that keep all where others are recomputed
  LayerGradients layer_gradients, kept_gradients;  // of these backwards
};

// Opens a block for each and fills it. Buffers of `blocks` are kept.
void trace_passes(Builder&, const BlockContext&, PassBlocks& blocks);

// What a Workload begins with: its first blocks, kernels and collectives.
struct Body {
  PassBlocks blocks;
  std::int32_t block_count = 0, kernels = 0, collectives = 0;
  std::int32_t kernels_before = 0;  // its blocks number collectives behind that many kernels
};

}  // namespace echo::workload
