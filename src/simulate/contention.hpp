// Choice of the model of contention between overlapping collectives.
#pragma once

#include <cstdint>

#include "congestion/packet_budget.hpp"
#include "network/shared_links.hpp"

namespace echo::simulate {

using network::Contention;
using network::contention_names;
inline constexpr Contention default_contention = Contention::analytical;
inline constexpr std::int64_t default_packet_budget = congestion::packet_budget;

}  // namespace echo::simulate
