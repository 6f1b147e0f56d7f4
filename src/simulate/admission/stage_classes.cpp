#include "simulate/admission/stage_classes.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::simulate {

using training::RankLayout;

void StageClasses::sort_chunks(const RankLayout& layout) {
  const std::size_t stages = layout.classes.size();
  begin_.assign(stages + 1, 0);
  for (const std::int32_t stage : layout.stage_of_chunk) ++begin_[at(stage) + 1];
  for (std::size_t stage = 0; stage < stages; ++stage) begin_[stage + 1] += begin_[stage];
  chunk_.resize(layout.stage_of_chunk.size());
  first_of_ = begin_;  // where the next chunk of a stage goes
  for (std::size_t chunk = 0; chunk < chunk_.size(); ++chunk)
    chunk_[at(first_of_[at(layout.stage_of_chunk[chunk])]++)] = static_cast<std::int32_t>(chunk);
}

static bool are_alike_chunks(const RankLayout& layout, std::int32_t a, std::int32_t b) {
  return a != 0 && b != 0 && layout.chunk_layers[at(a)] == layout.chunk_layers[at(b)] &&
         layout.opens_model(at(a)) == layout.opens_model(at(b)) &&
         layout.closes_model(at(a)) == layout.closes_model(at(b)) &&
         std::ranges::equal(layout.chunk_kinds.row(a), layout.chunk_kinds.row(b));
}

bool StageClasses::are_alike(const RankLayout& layout, std::int32_t a, std::int32_t b) const {
  const std::int32_t last = static_cast<std::int32_t>(layout.classes.size()) - 1;
  if (a == 0 || a == last || b == 0 || b == last) return false;
  const std::vector<bool>& crosses = layout.hop_crosses_nodes;
  if (crosses[at(a)] != crosses[at(b)] || crosses[at(a - 1)] != crosses[at(b - 1)]) return false;
  const std::int32_t chunks = begin_[at(a + 1)] - begin_[at(a)];
  if (chunks != begin_[at(b + 1)] - begin_[at(b)]) return false;
  for (std::int32_t i = 0; i < chunks; ++i)
    if (!are_alike_chunks(layout, chunk_[at(begin_[at(a)] + i)], chunk_[at(begin_[at(b)] + i)])) return false;
  return true;
}

void StageClasses::find(const RankLayout& layout) {
  sort_chunks(layout);
  const auto stages = static_cast<std::int32_t>(layout.classes.size());
  class_.resize(at(stages));
  first_of_.clear();
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    const auto known =
        std::ranges::find_if(first_of_, [&](std::int32_t first) { return are_alike(layout, first, stage); });
    class_[at(stage)] = static_cast<std::int32_t>(known - first_of_.begin());
    if (known == first_of_.end()) first_of_.push_back(stage);
  }
  count_ = static_cast<std::int32_t>(first_of_.size());
}

}  // namespace echo::simulate
