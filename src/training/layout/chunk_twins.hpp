// Chunks that hold the same, and stages of such chunks: what belongs to one of them is worked out once.
#pragma once

#include <cstdint>
#include <utility>

#include "base/at.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

// Fills twin_of_chunk and repeats_stage. Contract: what else the layout says of chunks is there, of one copy
// of the model.
void find_chunk_twins(const ModelSpec&, RankLayout&);

// Calls each(of_chunk(chunk), chunk) for the chunks of a stage; of twins that follow each other of_chunk is
// asked once. Contract: it says the same of all twins.
template <class OfChunk, class Each>
void for_chunks_of(const RankLayout& layout, std::int32_t stage, OfChunk of_chunk, Each each) {
  decltype(of_chunk(stage)) held{};
  std::int32_t twin = -1;
  for (std::int32_t chunk = 0; chunk < length_of(layout.chunk_layers); ++chunk) {
    if (layout.stage_of_chunk[at(chunk)] != stage) continue;
    const std::int32_t before = std::exchange(twin, layout.twin_of_chunk[at(chunk)]);
    if (twin != before) held = of_chunk(chunk);
    each(held, chunk);
  }
}

}  // namespace echo::training
