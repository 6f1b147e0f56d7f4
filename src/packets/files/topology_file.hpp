// Topology files in HPCC's format: `nodes switches links`, the numbers of the switches, and for each link
// `a b rate delay error_rate`, as in "32 0 100Gbps 1us 0".
#pragma once

#include <string>
#include <string_view>

#include "base/problems.hpp"
#include "packets/fabric/fabric.hpp"

namespace echo::packets {

// Reports every problem; what it returns is a fabric only where there is none. `name` is the file in
// messages.
[[nodiscard]] Fabric read_topology(std::string_view text, const std::string& name, Problems&);

}  // namespace echo::packets
