// The forward of one microbatch and the backward of another, interleaved layer by layer so that the
// all-to-alls of one overlap the computation of the other.
#pragma once

#include <array>

#include "workload/layer/transformer.hpp"

namespace echo::workload {

using LayerBlocks = std::array<BlockId, training::layer_kind_count>;  // by LayerKind::index

// Fills `out.pairs`, one row per chunk's forward and per backward of its stage, from the rows of
// `out.forward` and `out.backward` and the blocks of their layers.
void trace_pairs(Builder&, const BlockContext&, const LayerBlocks& forward, const LayerBlocks& backward,
                 Workload& out);

}  // namespace echo::workload
