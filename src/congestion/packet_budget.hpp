// How many packets a run may take.
#pragma once

#include <cstdint>

namespace echo::congestion {

// Packets sent on links, answers included, after which a run is given up and fluids go on, unless a sweep
// says otherwise: one to three seconds of a processor.
inline constexpr std::int64_t packet_budget = 5'000'000;

}  // namespace echo::congestion
