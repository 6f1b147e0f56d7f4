// What the packet simulator is given of a machine: its NICs and switches.
#pragma once

#include <cstdint>

#include "machine/cluster.hpp"
#include "packets/engine/parameters.hpp"
#include "packets/flow/congestion_control.hpp"

namespace echo::congestion {

struct PacketSettings {
  const packets::CongestionControl* control = nullptr;
  packets::Parameters parameters;
};

// The settings of a machine with such links: those of its congestion control, then those of its NICs and
// switches (ClusterSpec::packets), in picoseconds. Links are credited on InfiniBand, paused elsewhere, unless
// they say otherwise; where the headroom for what is under way when a pause is sent is left open, it is
// enough for `longest_delay` at `fastest` bits per second. Throws UserError for what is no parameter.
[[nodiscard]] PacketSettings packet_settings(const machine::ClusterSpec&, std::int64_t fastest,
                                             SimTime longest_delay);

// How flows find their paths: as the cluster routes; but HPCC's telemetry compares the links of one path, so
// where packets of others spread, its flows are hashed.
[[nodiscard]] machine::Routing path_choice(const machine::ClusterSpec&);

// Payload over bytes on the wire of a full packet, without what a congestion control adds.
[[nodiscard]] double wire_share(const packets::Parameters&);

}  // namespace echo::congestion
