// The forward of one microbatch and the backward of another, woven layer by layer, so that the all-to-alls of
// one run beside the computation of the other.
#pragma once

#include <array>

#include "workload/layer/transformer.hpp"

namespace echo::workload {

using LayerBlocks = std::array<std::int32_t, training::layer_kind_count>;  // by LayerKind::index

// Fills `out.pairs`, one row for each chunk's forward with each backward of its stage, from the rows of
// `out.forward` and `out.backward` and the blocks their layers are runs of.
void trace_pairs(Builder&, const BlockContext&, const LayerBlocks& forward, const LayerBlocks& backward,
                 Workload& out);

}  // namespace echo::workload
