// Rates of a fabric given link by link.
#pragma once

#include "machine/cluster.hpp"

namespace echo::network {

// The rates and latencies of a fabric under its routing. Precondition: links are indexed, and every two GPUs
// can reach each other.
[[nodiscard]] machine::GivenFabric rate_fabric(machine::NetworkGraph graph, machine::Routing);

}  // namespace echo::network
