// Communication patterns of textbook collectives: phases in which all ranks act alike, as transfers and as a
// time.
#pragma once

#include <cstdint>

#include "textbook/dimension.hpp"
#include "textbook/phases.hpp"

namespace echo::textbook {

enum class Pattern : std::int8_t {
  shift,      // i sends to i + distance, around
  both_ways,  // i sends to i + distance and i - distance, around
  exchange,   // i sends to i xor distance, among the largest power of two of ranks
  binomial,   // multiples of 2 distance send to the rank `distance` further
  fold,       // i + distance sends to i
  unfold,     // and back
  all_pairs,  // each sends to every other
  scatter,    // 0 sends to every other
  chain,      // i sends to i + 1, for i in [first, last]
  trees_up,   // ranks whose level is in [first, last] send to their parents, in both trees
  trees_down  // and back
};

// `bytes` per transfer; `repeat` such phases in a row.
struct Step {
  Pattern pattern{};
  std::int64_t bytes = 0, repeat = 1;
  std::int32_t distance = 1;
  std::int32_t first = 0, last = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

// Appends its phase to `out` and closes it.
void add_phase(const Step&, std::int32_t ranks, Phases& out);

// Its time, including repeats, without its list of transfers. A phase takes the latency of its longest path
// plus the time of its busiest link for all transfers over it. Paths are shortest; two equal ones share the
// load evenly. Trees require switches.
[[nodiscard]] Cost cost_of(const Step&, const Dimension&);

// The double binary tree: parent of a rank in either tree, -1 for the root; level of a rank's edge to its
// parent, from the leaves: 0 for a leaf.
[[nodiscard]] std::int32_t parent_of(std::int32_t rank, std::int32_t ranks, std::int32_t tree);
[[nodiscard]] std::int32_t level_of(std::int32_t rank, std::int32_t ranks, std::int32_t tree);
[[nodiscard]] std::int32_t tree_levels(std::int32_t ranks);  // of edges: ceil(log2(ranks))

}  // namespace echo::textbook
