// Choice of the model of contention between overlapping collectives.
#pragma once

#include "network/shared_links.hpp"

namespace echo::simulate {

using network::Contention;
using network::contention_names;
inline constexpr Contention default_contention = Contention::analytical;

}  // namespace echo::simulate
