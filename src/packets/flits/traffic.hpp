// Where the nodes of a fabric of flits send.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "packets/flits/flit_topology.hpp"

namespace echo::packets {

struct TrafficPattern {
  const char *name, *note;
  // Why the topology does not admit it; empty where it does.
  std::string (*refusal)(const FlitTopology&);
  std::int32_t (*destination)(std::int32_t source, const FlitTopology&, Draws&);
};

[[nodiscard]] std::span<const TrafficPattern> traffic_table();

}  // namespace echo::packets
