// Themis: chunks of a collective that take the dimensions in orders of their own, so that all dimensions have
// the same to do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "textbook/dimension.hpp"

namespace echo::textbook {

struct OrderedChunk {
  std::int64_t bytes = 0;
  std::vector<std::int32_t> order;  // of dimensions, as a reduce-scatter takes them
  friend bool operator==(const OrderedChunk&, const OrderedChunk&) = default;
};

// equal: chunks of bytes / count. level: chunks no smaller than that, each as large as brings the least
// loaded dimension up to the most loaded one.
enum class ChunkSizes : std::int8_t { equal, level };

// The chunks of a reduce-scatter or all-reduce of `bytes` >= 1; an all-gather takes their orders backwards.
// There are at most `count` (>= 1), and one for the remainder.
[[nodiscard]] std::vector<OrderedChunk> themis_chunks(std::int64_t bytes, std::int64_t count, ChunkSizes,
                                                      std::span<const Dimension>);

}  // namespace echo::textbook
