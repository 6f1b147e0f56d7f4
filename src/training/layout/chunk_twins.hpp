// Chunks that hold the same, and stages of such chunks: what belongs to one of them is worked out once.
#pragma once

#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

// Fills twin_of_chunk and repeats_stage. Contract: what else the layout says of chunks is there, of one copy
// of the model.
void find_chunk_twins(const ModelSpec&, RankLayout&);

}  // namespace echo::training
