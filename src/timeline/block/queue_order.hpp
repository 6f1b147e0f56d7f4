// The order in which queues that serve the newest first run the ops of a block.
#pragma once

#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/units.hpp"
#include "timeline/block/block.hpp"

namespace echo::timeline {

// A permutation of the block's ops, in which needs come before those that need them. In it every lane of
// communication but the host's is in the order in which a queue serves it that begins, whenever the lane is
// free, the op that has been ready for the shortest time; those that became ready together go in the order of
// their launch. An op that has begun runs to its end. The other lanes keep their order. Composed in this
// order without slowdown, ops begin and end when they do with such queues. Contract: as compose_block's.
[[nodiscard]] std::vector<OpId> order_newest_first(const OpGraphView&, std::span<const SimTime> alone);

}  // namespace echo::timeline
