// What a fabric given link by link gets through.
#pragma once

#include "machine/cluster.hpp"

namespace echo::network {

// The rates and latencies of a fabric under its routing, of a graph with indexed links in which every two
// GPUs can reach each other.
[[nodiscard]] machine::GivenFabric rate_fabric(machine::NetworkGraph graph, machine::Routing);

}  // namespace echo::network
