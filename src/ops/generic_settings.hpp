// Settings of the collectives model: NCCL's collectives as they really run, or textbook algorithms on bare
// links and their parameters.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "base/at.hpp"

namespace echo::ops {

enum class CollectiveModel : std::int8_t { nccl_whitebox, generic };
inline constexpr std::array<std::string_view, 2> collective_model_names{"nccl-whitebox", "generic"};

// best: the fastest of the others. hierarchical: one dimension of the machine after the other, each by the
// fastest that serves it. The rest: plug-ins of textbook/algorithms, over all ranks at once. Result files
// hold the numbers, so new ones come last.
enum class GenericAlgorithm : std::int8_t {
  best,
  hierarchical,
  bidirectional_ring,
  bruck,
  direct,
  double_binary_tree,
  halving_doubling,
  ring
};
inline constexpr auto generic_algorithm_names =
    std::to_array<std::string_view>({"auto", "hierarchical", "bidirectional_ring", "bruck", "direct",
                                     "double_binary_tree", "halving_doubling", "ring"});
[[nodiscard]] constexpr std::string_view name_of(GenericAlgorithm algorithm) {
  return generic_algorithm_names[at(algorithm)];
}
static_assert(name_of(GenericAlgorithm::ring) == "ring");

// The order in which a hierarchical collective takes the dimensions: from the GPU outwards; the widest first;
// per chunk, the least loaded dimension first, in chunks of one size; or in chunks that level the loads
// (Themis).
enum class DimensionOrder : std::int8_t { inner_first, by_bandwidth, balanced, themis };
inline constexpr std::array<std::string_view, 4> dimension_order_names{"inner-first", "by-bandwidth",
                                                                       "balanced", "themis"};

// Which of the chunks waiting for a dimension goes next: the first or the last to arrive.
enum class ChunkQueue : std::int8_t { fifo, lifo };
inline constexpr std::array<std::string_view, 2> chunk_queue_names{"fifo", "lifo"};

struct GenericSettings {
  GenericAlgorithm algorithm = GenericAlgorithm::best;
  std::int32_t chunks = 0;  // of a hierarchical collective; 0 = the best power of two up to 64
  DimensionOrder order = DimensionOrder::inner_first;
  ChunkQueue queue = ChunkQueue::fifo;
  friend constexpr auto operator<=>(const GenericSettings&, const GenericSettings&) = default;
};

}  // namespace echo::ops
