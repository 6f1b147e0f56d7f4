// Shape and placement of a communicator: everything its time depends on, so it serves as a look-up key.
#pragma once

#include <compare>
#include <cstdint>

#include "base/id.hpp"

namespace echo::machine {

using PlacementId =
    Id<struct PlacementTag>;  // concrete ranks, only where placement is irregular; none = regular

// `ranks` GPUs, consecutive members `stride` gpu ranks apart, on `nodes` nodes with at most `ranks_per_node`
// each. `sharing`: number of identical groups of a node that use the scale-out links at the same time (>= 1).
// `extent`: nodes of gpus_per_node from the first to the last member if the stride does not determine it,
// else 0.
struct GroupSpan {
  std::int32_t ranks = 1, nodes = 1, ranks_per_node = 1, stride = 1, sharing = 1, extent = 0;
  PlacementId placement{};
  friend constexpr auto operator<=>(const GroupSpan&, const GroupSpan&) = default;
};

}  // namespace echo::machine
