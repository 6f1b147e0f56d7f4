#include "training/layout/chunk_twins.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::training {

namespace {

bool are_twins(const ModelSpec& model, const RankLayout& layout, std::int32_t a, std::int32_t b) {
  if (layout.opens_model(at(a)) != layout.opens_model(at(b))) return false;
  if (layout.closes_model(at(a)) != layout.closes_model(at(b))) return false;
  const auto kinds = layout.chunk_kinds.row(a);
  if (!std::ranges::equal(kinds, layout.chunk_kinds.row(b))) return false;
  for (std::int32_t i = 0; kinds.size() > 1 && i < layout.chunk_layers[at(a)]; ++i)
    if (layer_kind(model, layout.chunk_first_layer[at(a)] + i) !=
        layer_kind(model, layout.chunk_first_layer[at(b)] + i))
      return false;
  return true;
}

// Both stages' chunks are met in order, the nth of one with the nth of the other.
bool repeats_stage_before(const RankLayout& layout, std::int32_t stage) {
  const std::vector<std::int32_t>& stage_of = layout.stage_of_chunk;
  std::size_t other = 0;
  const auto find_other = [&] {
    while (other < stage_of.size() && stage_of[other] != stage - 1) ++other;
  };
  for (std::size_t chunk = 0; chunk < stage_of.size(); ++chunk) {
    if (stage_of[chunk] != stage) continue;
    find_other();
    if (other == stage_of.size() || layout.twin_of_chunk[other] != layout.twin_of_chunk[chunk]) return false;
    ++other;
  }
  find_other();
  return other == stage_of.size();
}

}  // namespace

void find_chunk_twins(const ModelSpec& model, RankLayout& layout) {
  layout.twin_of_chunk.clear();
  for (std::int32_t chunk = 0; chunk < length_of(layout.chunk_layers); ++chunk) {
    std::int32_t twin = chunk;
    // The chunk before is the most likely; of others only the first of its kind is asked.
    if (chunk > 0 && are_twins(model, layout, chunk - 1, chunk))
      twin = layout.twin_of_chunk.back();
    else
      for (std::int32_t other = 0; other < chunk && twin == chunk; ++other)
        if (layout.twin_of_chunk[at(other)] == other && are_twins(model, layout, other, chunk)) twin = other;
    layout.twin_of_chunk.push_back(twin);
  }
  layout.repeats_stage.assign(layout.classes.size(), false);
  for (std::size_t stage = 1; stage < layout.classes.size(); ++stage)
    layout.repeats_stage[stage] = repeats_stage_before(layout, static_cast<std::int32_t>(stage));
}

}  // namespace echo::training
