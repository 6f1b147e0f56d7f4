#include "storage/chunk_cache.hpp"

#include <algorithm>

#include "base/counter_rng.hpp"

namespace echo::storage {

const ChunkCache::Values* ChunkCache::find(const void* dataset, std::uint64_t first) const {
  const auto found = std::ranges::find_if(
      kept_, [&](const Kept& kept) { return kept.dataset == dataset && kept.first == first; });
  return found == kept_.end() ? nullptr : &found->values;
}

void ChunkCache::keep(const void* dataset, std::uint64_t first, Values& values) {
  if (values.size() > most_bytes_ / 64) return;  // one instead of many
  Values spare;
  while (bytes_ + values.size() > most_bytes_) {
    std::swap(kept_[mix(drawn_++) % kept_.size()], kept_.back());
    bytes_ -= kept_.back().values.size();
    spare = std::move(kept_.back().values);
    kept_.pop_back();
  }
  bytes_ += values.size();
  kept_.push_back({dataset, first, std::exchange(values, std::move(spare))});
}

}  // namespace echo::storage
