// Bandwidth lost when a hash assigns flows to cables (ECMP).
#pragma once

#include <cstdint>

#include "machine/topology.hpp"

namespace echo::machine {

// Flows that one NIC has in flight at once in a group of `ranks`.
[[nodiscard]] double hashed_flows(Traffic, std::int32_t ranks);

// Rate of the slowest flow relative to an even spread: `per_cable` flows on average are hashed to each of
// `cables`. 1 for a single cable.
[[nodiscard]] double even_share_of_hashed(double per_cable, double cables);

}  // namespace echo::machine
