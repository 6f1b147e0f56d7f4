// What flows lose that a hash deals out to cables.
#pragma once

#include <cstdint>

#include "machine/topology.hpp"

namespace echo::machine {

// Flows a NIC has in the air at once in a group of `ranks`.
[[nodiscard]] double hashed_flows(Traffic, std::int32_t ranks);

// Of the rate that flows would get if spread evenly, what the slowest gets: `per_cable` flows are hashed to
// each of `cables` on average. 1 where there is one cable.
[[nodiscard]] double even_share_of_hashed(double per_cable, double cables);

}  // namespace echo::machine
