// The parts of a machine's fabric that a collective's flows cross: those that share a link are simulated
// together, packet by packet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "congestion/packet_settings.hpp"
#include "machine/network_graph.hpp"
#include "network/link_use.hpp"
#include "network/routing.hpp"
#include "packets/fabric/fabric.hpp"
#include "textbook/phases.hpp"

namespace echo::congestion {

// Flows that share links, directly or through others, and only these; the same for all parts that are alike.
struct FabricPart {
  packets::Fabric fabric;
  std::vector<packets::Flow> flows;  // without bytes; without paths where packets choose theirs
  Csr<network::LinkUse> routes;      // [flow] ports of `fabric`, with shares where packets spread
  std::vector<double> capacity;      // [port] bytes per second, headers included
  SimTime round_trip{};              // the longest of an idle network, with a packet's store-and-forward
};

struct FabricParts {
  std::vector<FabricPart> parts;
  SimTime latency{};  // of the longest path, with what lies between GPUs and NICs
};

// Transfers between members at `slots`, which outlive nothing: routed, cut where they leave and enter NICs.
// Parts that fold (network/fold.hpp) into the same classes stand once. Deterministic.
[[nodiscard]] FabricParts parts_of(const machine::NetworkGraph&, network::Router&,
                                   std::span<const textbook::Transfer>, std::span<const std::int32_t> slots,
                                   const PacketSettings&);

}  // namespace echo::congestion
