// What collectives that overlap do to each other, as a sweep may choose it.
#pragma once

#include "network/shared_links.hpp"

namespace echo::simulate {

using network::Contention;
using network::contention_names;
inline constexpr Contention default_contention = Contention::analytical;

}  // namespace echo::simulate
