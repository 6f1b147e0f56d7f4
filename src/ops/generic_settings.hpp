// Whose collectives a step uses: NCCL's as they really run, or textbook ones on bare links; and what the
// latter are made of.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace echo::ops {

enum class CollectiveModel : std::int8_t { nccl_whitebox, generic };
inline constexpr std::array<std::string_view, 2> collective_model_names{"nccl-whitebox", "generic"};

// best: the fastest of the others. hierarchical: one dimension of the machine after the other, each by the
// fastest that serves it. The rest: plug-ins of textbook/algorithms, over all ranks at once. Result files hold
// the numbers, so new ones come last.
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
  return generic_algorithm_names[static_cast<std::size_t>(algorithm)];
}
static_assert(name_of(GenericAlgorithm::ring) == "ring");

// In which order a hierarchical collective takes the dimensions: from the GPU outwards; the widest first; or
// each chunk another way, whichever dimension has had least to do (Themis).
enum class DimensionOrder : std::int8_t { inner_first, by_bandwidth, balanced };
inline constexpr std::array<std::string_view, 3> dimension_order_names{"inner-first", "by-bandwidth",
                                                                       "balanced"};

// Which of the chunks that wait for a dimension is next: who came first, or last.
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
